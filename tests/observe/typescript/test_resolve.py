"""Which versions the types of a package need, as npm would choose them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript.resolve import Resolver, highest, satisfies
from driftwatch.observe.typescript.scan import Files
from driftwatch.observe.typescript.tree import Tree
from tests.support.packages import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "shelf")


def tree(shelf: Shelf, cache: Path, name: str, version: str) -> Tree:
    return Resolver(shelf, Files(shelf, cache)).tree(name, version)


def uses(*names: str) -> dict[str, str]:
    return {"index.d.ts": "".join(f'import type {{ A }} from "{name}";\n' for name in names) + "export type B = A;\n"}


def test_only_what_declarations_import_is_followed(shelf: Shelf, cache: Path) -> None:
    shelf.put("typed", "1.0.0")
    shelf.put("untold", "1.0.0")
    shelf.put("root", "1.0.0", uses("typed"), dependencies={"typed": "^1.0.0", "untold": "^1.0.0"})
    found = tree(shelf, cache, "root", "1.0.0")
    assert list(found.packages) == ["root@1.0.0", "typed@1.0.0"]
    assert found.problems == {}


def test_ranges_take_latest_when_it_fits_and_else_the_highest(shelf: Shelf, cache: Path) -> None:
    for version in ("1.0.0", "1.5.0", "2.0.0"):
        shelf.put("a", version)
    shelf.put("root", "1.0.0", uses("a"), dependencies={"a": "^1.0.0"})
    shelf.put("root", "2.0.0", uses("a"), peerDependencies={"a": ">=1"})
    assert "a@1.5.0" in tree(shelf, cache, "root", "1.0.0").packages
    assert "a@2.0.0" in tree(shelf, cache, "root", "2.0.0").packages


def test_latest_wins_over_a_higher_version_that_is_not_tagged(shelf: Shelf, cache: Path) -> None:
    shelf.put("a", "1.2.0")
    shelf.put("a", "1.1.0")
    shelf.put("root", "1.0.0", uses("a"), dependencies={"a": "^1.0.0"})
    assert "a@1.1.0" in tree(shelf, cache, "root", "1.0.0").packages


def test_an_exact_pin_is_followed_and_moves_in_step(shelf: Shelf, cache: Path) -> None:
    for version in ("1.0.0", "1.0.1"):
        shelf.put("@s/sdk", version)
        shelf.put("@s/plugin", version, uses("@s/sdk"), dependencies={"@s/sdk": version})
    found = tree(shelf, cache, "@s/plugin", "1.0.0")
    assert "@s/sdk@1.0.0" in found.packages
    assert found.follow() == ("@s/plugin", "@s/sdk")


def test_a_foreign_dependency_is_not_followed_into(shelf: Shelf, cache: Path) -> None:
    shelf.put("zod", "4.0.0")
    shelf.put("@s/plugin", "1.0.0", uses("zod"), dependencies={"zod": "4.0.0"})
    assert tree(shelf, cache, "@s/plugin", "1.0.0").follow() == ("@s/plugin",)


def test_peers_of_one_family_are_taken_at_one_version(shelf: Shelf, cache: Path) -> None:
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        shelf.put("@ui/core", version)
    for version in ("1.0.0", "1.1.0"):
        shelf.put("@ui/solid", version)
    shelf.put("root", "1.0.0", uses("@ui/core", "@ui/solid"), peerDependencies={"@ui/core": ">=1", "@ui/solid": ">=1"})
    found = tree(shelf, cache, "root", "1.0.0")
    assert {"@ui/core@1.1.0", "@ui/solid@1.1.0"} < set(found.packages)


def test_types_published_beside_a_package_are_found(shelf: Shelf, cache: Path) -> None:
    shelf.put("@types/a", "1.0.0")
    shelf.put("@types/b__c", "1.0.0")
    shelf.put("root", "1.0.0", uses("a", "@b/c"), dependencies={"@types/a": "*", "@types/b__c": "^1.0.0"})
    assert set(tree(shelf, cache, "root", "1.0.0").packages) == {"root@1.0.0", "@types/a@1.0.0", "@types/b__c@1.0.0"}


def test_what_leads_nowhere_is_named(shelf: Shelf, cache: Path) -> None:
    shelf.put("a", "1.0.0")
    shelf.put("root", "1.0.0", uses("a", "gone", "unasked"), dependencies={"a": "^9.0.0", "gone": "1.0.0"})
    found = tree(shelf, cache, "root", "1.0.0")
    assert "no published version" in found.problems["a"]
    assert "404" in found.problems["gone"]
    assert "does not depend on it" in found.problems["unasked"]
    assert set(found.packages) == {"root@1.0.0"}


def test_cycles_come_to_an_end_and_have_a_digest(shelf: Shelf, cache: Path) -> None:
    shelf.put("a", "1.0.0", uses("b"), dependencies={"b": "1.0.0"})
    shelf.put("b", "1.0.0", uses("a"), dependencies={"a": "1.0.0"})
    found = tree(shelf, cache, "a", "1.0.0")
    assert set(found.packages) == {"a@1.0.0", "b@1.0.0"}
    assert found.digest() != found.digest("b@1.0.0")


def test_the_digest_hangs_on_every_dependency(shelf: Shelf, cache: Path) -> None:
    shelf.put("root", "1.0.0", uses("a"), dependencies={"a": "^1.0.0"})
    shelf.put("a", "1.0.0")
    before = tree(shelf, cache, "root", "1.0.0").digest()
    assert tree(shelf, cache, "root", "1.0.0").digest() == before
    shelf.put("a", "1.0.1")
    assert tree(shelf, cache, "root", "1.0.0").digest() != before


def test_a_package_that_cannot_be_had_is_raised(shelf: Shelf, cache: Path) -> None:
    with pytest.raises(Unobservable, match="404"):
        tree(shelf, cache, "nowhere", "1.0.0")
    shelf.put("root", "1.0.0")
    with pytest.raises(Unobservable, match="not published"):
        tree(shelf, cache, "root", "2.0.0")


def test_packages_that_only_the_followed_need(shelf: Shelf, cache: Path) -> None:
    shelf.put("shared", "1.0.0")
    shelf.put("mine", "1.0.0", uses("shared"), dependencies={"shared": "1.0.0"})
    shelf.put("root", "2.0.0", uses("mine", "shared"), dependencies={"mine": "1.0.0", "shared": "1.0.0"})
    assert tree(shelf, cache, "root", "2.0.0").only_for(["root@2.0.0"]) == ["mine@1.0.0"]


@pytest.mark.parametrize(
    ("version", "wish", "fits"),
    [
        ("1.2.3", "^1.0.0", True),
        ("2.0.0", "^1.0.0", False),
        ("1.2.3", "1.2.3", True),
        ("1.2.4", "1.2.3", False),
        ("1.0.0-beta.1", "*", False),
        ("1.0.0", "", True),
        ("1.0.0", "git+ssh://somewhere", False),
        ("0.4.5", ">=0.4.3", True),
    ],
)
def test_ranges_as_npm_reads_them(version: str, wish: str, fits: bool) -> None:
    assert satisfies(version, wish) is fits


def test_the_highest_of_a_range() -> None:
    assert highest(["1.0.0", "1.10.0", "1.9.0", "2.0.0"], "^1.0.0") == "1.10.0"
    assert highest(["1.0.0"], "^2.0.0") == ""


def test_what_a_level_needs_is_asked_for_and_fetched_at_once(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a", "1.0.0")
    shelf.put("b", "1.0.0")
    shelf.put("root", "1.0.0", uses("a", "b"), dependencies={"a": "^1.0.0", "b": "^1.0.0"})
    known: dict[str, Any] = {}
    asked, fetched = (threading.Barrier(2, timeout=10) for _ in range(2))
    packument, tarball = shelf.packument, shelf.tarball

    def ask(name: str) -> Any:
        if name not in known and name != "root":
            known[name] = packument(name)
            asked.wait()
        return packument(name)

    def fetch(name: str, *rest: str) -> Path:
        if name != "root":
            fetched.wait()
        return tarball(name, *rest)

    monkeypatch.setattr(shelf, "packument", ask)
    monkeypatch.setattr(shelf, "tarball", fetch)
    assert list(tree(shelf, cache, "root", "1.0.0").packages) == ["a@1.0.0", "b@1.0.0", "root@1.0.0"]


def test_a_dependency_that_cannot_be_fetched_is_a_problem_of_the_tree(shelf: Shelf, cache: Path) -> None:
    shelf.put("a", "1.0.0")
    shelf.put("b", "1.0.0")
    shelf.put("root", "1.0.0", uses("a", "b"), dependencies={"a": "^1.0.0", "b": "^1.0.0"})
    shelf.packages["a"]["1.0.0"] = b"no archive"
    found = tree(shelf, cache, "root", "1.0.0")
    assert dict(found.packages["root@1.0.0"].dependencies) == {"b": "b@1.0.0"}
    assert list(found.problems) == ["a"]
