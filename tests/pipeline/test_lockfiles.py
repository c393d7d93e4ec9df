"""Every lock file's reader, on what the package managers really write."""

from __future__ import annotations

import json

import pytest

from driftwatch.pipeline.lockfiles import READERS, Unreadable, Want
from driftwatch.pipeline.pins import fits

NAME = "@acme/plugin"
HERE = Want(NAME, NAME, "^1.0.0")
IN_WORKSPACE = Want(NAME, NAME, "^1.0.0", "packages/web")
ALIAS = Want("acme", NAME, f"npm:{NAME}@^1.0.0")

NPM3 = json.dumps(
    {
        "lockfileVersion": 3,
        "packages": {
            "": {"dependencies": {NAME: "^1.0.0"}},
            f"node_modules/{NAME}": {"version": "1.2.3"},
            f"packages/web/node_modules/{NAME}": {"version": "1.0.1"},
            f"node_modules/other/node_modules/{NAME}": {"version": "9.9.9"},
            "node_modules/acme": {"name": NAME, "version": "1.4.0"},
            "node_modules/linked": {"resolved": "packages/linked", "link": True},
        },
    }
)
NPM1 = json.dumps({"lockfileVersion": 1, "dependencies": {NAME: {"version": "1.2.3"}, "acme": {"version": f"npm:{NAME}@1.4.0"}}})
BUN = f"""{{
  "lockfileVersion": 1,
  "workspaces": {{
    "": {{ "name": "ours", "dependencies": {{ "{NAME}": "^1.0.0", }}, }},
    "packages/web": {{ "name": "web", }},
  }},
  "packages": {{
    "{NAME}": ["{NAME}@1.2.3", "", {{ "dependencies": {{ "zod": "4", }} }}, "sha512-,]=="],
    "web/{NAME}": ["{NAME}@1.0.1", "", {{}}, ""],
    "acme": ["{NAME}@1.4.0", "", {{}}, ""],
  }}
}}
"""
PNPM9 = f"""lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      '{NAME}':
        specifier: ^1.0.0
        version: 1.2.3(zod@4.0.0)
      acme:
        specifier: npm:{NAME}@^1.0.0
        version: '{NAME}@1.4.0(zod@4.0.0)'
  packages/web:
    devDependencies:
      '{NAME}': {{specifier: ^1.0.0, version: 1.0.1}}
packages:
  - this part is not even: [read
"""
PNPM5 = f"""lockfileVersion: 5.4
specifiers:
  '{NAME}': ^1.0.0
dependencies:
  '{NAME}': 1.2.3_zod@4.0.0
  acme: /{NAME}/1.4.0
packages:
  /{NAME}/1.2.3: {{}}
"""
YARN1 = f"""# yarn lockfile v1


"{NAME}@^1.0.0", "{NAME}@1":
  version "1.2.3"
  resolved "x"
  dependencies:
    version "7.7.7"

"acme@npm:{NAME}@^1.0.0":
  version "1.4.0"

other@^2.0.0:
  version "2.0.0"
"""
BERRY = f"""__metadata:
  version: 8

"{NAME}@npm:^1.0.0, {NAME}@npm:1":
  version: 1.2.3
  resolution: "{NAME}@npm:1.2.3"
  dependencies:
    zod: "npm:4"

"acme@npm:{NAME}@^1.0.0":
  version: 1.4.0
"""


@pytest.mark.parametrize(
    ("file", "text", "want", "version"),
    [
        ("package-lock.json", NPM3, HERE, "1.2.3"),
        ("package-lock.json", NPM3, IN_WORKSPACE, "1.0.1"),
        ("package-lock.json", NPM3, Want(NAME, NAME, "^1.0.0", "packages/api"), "1.2.3"),
        ("package-lock.json", NPM3, ALIAS, "1.4.0"),
        ("package-lock.json", NPM3, Want("linked", "linked", "*"), ""),
        ("npm-shrinkwrap.json", NPM1, HERE, "1.2.3"),
        ("package-lock.json", NPM1, ALIAS, "1.4.0"),
        ("bun.lock", BUN, HERE, "1.2.3"),
        ("bun.lock", BUN, IN_WORKSPACE, "1.0.1"),
        ("bun.lock", BUN, ALIAS, "1.4.0"),
        ("pnpm-lock.yaml", PNPM9, HERE, "1.2.3"),
        ("pnpm-lock.yaml", PNPM9, IN_WORKSPACE, "1.0.1"),
        ("pnpm-lock.yaml", PNPM9, ALIAS, "1.4.0"),
        ("pnpm-lock.yaml", PNPM5, HERE, "1.2.3"),
        ("pnpm-lock.yaml", PNPM5, ALIAS, "1.4.0"),
        ("yarn.lock", YARN1, HERE, "1.2.3"),
        ("yarn.lock", YARN1, Want(NAME, NAME, "~1.2.0"), "1.2.3"),
        ("yarn.lock", YARN1, ALIAS, "1.4.0"),
        ("yarn.lock", BERRY, HERE, "1.2.3"),
        ("yarn.lock", BERRY, ALIAS, "1.4.0"),
    ],
)
def test_a_lock_file_says_the_version(file: str, text: str, want: Want, version: str) -> None:
    assert READERS[file](text, want) == version


@pytest.mark.parametrize("file", [name for name in READERS if name != "bun.lockb"])
@pytest.mark.parametrize("text", ["{}", '{"packages": [], "dependencies": 3, "importers": null}', "a: {b: c}"])
def test_a_package_that_is_not_in_it_has_no_version_and_oddities_do_not_crash(file: str, text: str) -> None:
    try:
        assert READERS[file](text, HERE) == ""
    except Unreadable as error:
        assert "is not" in str(error)


@pytest.mark.parametrize("file", ["package-lock.json", "bun.lock", "pnpm-lock.yaml", "yarn.lock", "bun.lockb"])
@pytest.mark.slow
def test_what_is_no_lock_file_is_said(file: str) -> None:
    for text in ("<<<<<<< ours\n{", "[" * 5_000):
        with pytest.raises(Unreadable, match="is "):
            READERS[file](text, HERE)


def test_ranges_as_npm_reads_them() -> None:
    assert fits("1.2.3", "^1.0.0") and fits("1.2.3", "*") and fits("1.2.3", "")
    assert not fits("2.0.0", "^1.0.0") and not fits("1.2.3", "1.15.4") and not fits("2.0.0-beta.1", ">=1")
    assert fits("1.2.3", "next"), "a tag refuses nothing"
