"""Having a plugin: what is written for the installer, what is looked for, what is no plugin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable, UsageError
from driftwatch.observe.hosts.driver import Binary
from driftwatch.observe.plugins.install import LARGEST_FOLDER, Installer, entry_of, npmrc, scripted
from driftwatch.observe.plugins.job import Job, Plugin, read
from driftwatch.observe.plugins.own_tools import least
from driftwatch.observe.sources.npm.npmrc import NpmConfig
from driftwatch.observe.sources.secret import Secret

RUNTIME = """#!/bin/sh
cp .npmrc "$HOME/seen" 2>/dev/null
echo "$@" >> "$HOME/asked"
env >> "$HOME/env"
[ -n "$(ls -d broken 2>/dev/null)" ] && { echo "error: s3cret is not known in $PWD"; exit 1; }
mkdir -p node_modules/own
echo '{"name": "own", "version": "1.2.3"}' > node_modules/own/package.json
"""


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    runtime, place = tmp_path / "runtime", tmp_path / "place"
    runtime.write_text(RUNTIME, "utf-8")
    runtime.chmod(0o755)
    place.mkdir()
    credentials = {"//registry.example/": Secret("Bearer s3cret")}
    return Installer(runtime, NpmConfig("https://registry.example/", credentials=credentials), tmp_path / "cache", place)


@pytest.mark.slow
def test_the_token_is_there_while_it_installs_and_gone_afterwards(installer: Installer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "another-s3cret")
    plugin = installer.package("own", "1.2.3")
    home = installer.place / "home"
    assert (plugin.name, plugin.version, plugin.spec) == ("own", "1.2.3", "own@1.2.3")
    assert "s3cret" in (home / "seen").read_text("utf-8")
    assert "s3cret" not in (home / "env").read_text("utf-8")
    assert "--ignore-scripts" in (home / "asked").read_text("utf-8")
    left = [path for path in plugin.tree.rglob("*") if path.is_file() and "s3cret" in path.read_text("utf-8")]
    assert left == []


GZIP = b"\x1f\x8b\x08\x00"  # what a tarball begins with; the stand-in does not read on
PACKED = """#!/bin/sh
mkdir -p node_modules/driftwatch-plugin
cp "$HOME/manifest" node_modules/driftwatch-plugin/package.json
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("manifest", "spec"),
    [
        ({"name": "own", "version": "1.2.3"}, "own@1.2.3"),
        ({"name": "@scope/own", "version": "1.2.3-beta.1"}, "@scope/own@1.2.3-beta.1"),
        ({"name": "driftwatch-plugin", "version": "1.2.3"}, "driftwatch-plugin@1.2.3"),
        ({"name": "../../out", "version": "1.2.3"}, ""),
        ({"name": "/tmp/out", "version": "1.2.3"}, ""),
        ({"name": "@scope/../../out", "version": "1.2.3"}, ""),
        ({"name": "own", "version": "1.2.3/../../../out"}, ""),
        ({"name": ["own"], "version": "1.2.3"}, ""),
        ({"name": "own", "version": 1}, ""),
        ({"version": "1.2.3"}, ""),
    ],
)
def test_a_packed_package_is_called_by_its_own_name_or_refused(
    installer: Installer, tmp_path: Path, manifest: dict[str, object], spec: str
) -> None:
    installer.runtime.write_text(PACKED, "utf-8")
    (installer.place / "home").mkdir()
    (installer.place / "home" / "manifest").write_text(json.dumps(manifest), "utf-8")
    (tmp_path / "own.tgz").write_bytes(GZIP)
    if spec:
        plugin = installer.tarball(tmp_path / "own.tgz")
        assert (plugin.spec, plugin.root.is_dir()) == (spec, True)
    else:
        with pytest.raises(UsageError, match="npm would take"):
            installer.tarball(tmp_path / "own.tgz")


@pytest.mark.slow
def test_a_manifest_too_deep_to_read_is_said(installer: Installer, tmp_path: Path) -> None:
    installer.runtime.write_text(PACKED, "utf-8")
    (installer.place / "home").mkdir()
    (installer.place / "home" / "manifest").write_text('{"a":' * 200_000 + "1" + "}" * 200_000, "utf-8")
    (tmp_path / "own.tgz").write_bytes(GZIP)
    with pytest.raises(Unobservable, match="cannot be read"):
        installer.tarball(tmp_path / "own.tgz")


@pytest.mark.slow
def test_what_the_installer_says_holds_no_token(installer: Installer) -> None:
    (installer.place / "plugin" / "broken").mkdir(parents=True)
    (installer.place / "api" / "broken").mkdir(parents=True)
    with pytest.raises(Unobservable) as error:
        installer._install(installer.place / "api")
    assert "exited with code 1: error: *** is not known in <scratch>/api" in str(error.value)


def test_npmrc_of_what_npm_is_told() -> None:
    config = NpmConfig(
        "https://one.example/",
        {"@own": "https://two.example/"},
        {"//one.example/": Secret("Bearer a"), "//two.example/": Secret("Basic Yjpj")},
        ca_file="/ca.pem",
        strict_ssl=False,
    )
    assert npmrc(config).splitlines() == [
        "registry=https://one.example/",
        "@own:registry=https://two.example/",
        "//one.example/:_authToken=a",
        "//two.example/:_auth=Yjpj",
        "cafile=/ca.pem",
        "strict-ssl=false",
    ]


def test_a_folder_without_a_name_is_no_package(installer: Installer, tmp_path: Path) -> None:
    folder = tmp_path / "nameless"
    folder.mkdir()
    (folder / "package.json").write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="no name or no version"):
        installer.folder(folder)


def test_a_folder_too_big_for_a_plugin(installer: Installer, tmp_path: Path) -> None:
    folder = tmp_path / "big"
    folder.mkdir()
    with (folder / "data").open("wb") as file:
        file.truncate(LARGEST_FOLDER + 1)
    with pytest.raises(UsageError, match="bigger than"):
        installer.folder(folder)


def test_packages_with_scripts_that_were_not_run(tmp_path: Path) -> None:
    for name, scripts in (("a", {"postinstall": "x"}), ("@b/c", {"install": "x"}), ("d", {"test": "x"})):
        folder = tmp_path / "node_modules" / name
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"name": name, "scripts": scripts}), "utf-8")
    assert scripted(tmp_path) == ("@b/c", "a")


def test_where_a_folder_of_files_begins(tmp_path: Path) -> None:
    assert entry_of(tmp_path) is None
    (tmp_path / "index.js").touch()
    assert entry_of(tmp_path) == tmp_path / "index.js"


def test_a_job_survives_the_way_through_the_wall(tmp_path: Path) -> None:
    job = Job("opencode", Binary(tmp_path / "b", "1", "p", "sha"), tmp_path, Plugin("own", "1", tmp_path), tmp_path, ("chat",))
    assert read(job.text()) == job
    launched = Binary(tmp_path / "b", "", "", "", ("run", "it"), tmp_path, ("NAME",))
    assert read(Job("opencode", launched, tmp_path).text()).binary == launched
    assert read(Job("opencode", job.binary, tmp_path).text()).plugin is None


def test_the_least_arguments_a_schema_permits() -> None:
    schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string"}, "much": {"type": "integer"}, "which": {"enum": ["b", "a"]},
            "deep": {"type": "object", "properties": {"x": {"anyOf": [{"type": "boolean"}]}}, "required": ["x"]},
            "left out": {"type": "string"},
        },
        "required": ["text", "much", "which", "deep"],
    }  # fmt: skip
    assert least(schema) == {"text": "driftwatch", "much": 1, "which": "b", "deep": {"x": False}}
    assert least("nonsense") == {}
    loop: dict[str, object] = {"type": "object", "required": ["x"]}
    loop["properties"] = {"x": loop}
    assert least(loop) is not None, "a schema that holds itself ends"
