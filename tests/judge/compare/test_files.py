"""Changes of watched files and tags: silent on the same, a mirror of themselves reversed, each with its rule."""

from __future__ import annotations

import pytest

from driftwatch.judge.compare import commits, compare, files
from driftwatch.model import Address, Change, Fact, Gap, Json, Observed, Ref, Snapshot
from driftwatch.rules import by_change

MIRROR = {"added": "removed", "removed": "added"}


def fact(path: str, blob: str = "b1", where: str = "", **more: Json) -> Fact:
    return Fact(Address.of("file", path), {"blob": blob, "size": 1, "lines": 1, **more}, where or f"git:{path}@abc")


def between(old: list[Fact], new: list[Fact]) -> list[Change]:
    return list(files.compare({f.address: f for f in old}, {f.address: f for f in new}))


CASES: dict[str, tuple[list[Fact], list[Fact], list[tuple[str, str]]]] = {
    "same": ([fact("a")], [fact("a", where="git:a@def")], []),
    "changed": ([fact("a")], [fact("a", "b2")], [("file:a", "changed")]),
    "added": ([], [fact("a")], [("file:a", "added")]),
    "removed": ([fact("a")], [], [("file:a", "removed")]),
    "renamed": ([fact("a")], [fact("b", renamed_from="a", similarity=90)], [("file:a", "renamed")]),
    "a copy is an addition": ([fact("a")], [fact("a"), fact("b", renamed_from="a", similarity=90)], [("file:b", "added")]),
    "long since renamed": ([fact("b", renamed_from="a", similarity=90)], [fact("b")], []),
    "executable": ([fact("a")], [fact("a", mode="executable")], [("file:a", "mode-changed")]),
    "changed and executable": ([fact("a")], [fact("a", "b2", mode="executable")], [("file:a", "changed")]),
    "a link": ([fact("a")], [fact("a", "b2", mode="link")], [("file:a", "type-changed")]),
    "a submodule moves": ([fact("a", mode="submodule")], [fact("a", "b2", mode="submodule")], [("file:a", "changed")]),
    "an lfs pointer moves": ([fact("a", mode="lfs")], [fact("a", "b2", mode="lfs")], [("file:a", "changed")]),
    "source against built": ([fact("a")], [fact("a", **{"as": "dist/a.d.ts"})], [("file:a", "incomparable")]),
    "built against built otherwise": (
        [fact("a", **{"as": "dist/a.js"})],
        [fact("a", **{"as": "dist/a.d.ts"})],
        [("file:a", "incomparable")],
    ),
    "a value nobody knows": ([Fact(Address("file:a"), "x")], [fact("a")], [("file:a", "changed")]),
}


@pytest.mark.parametrize("case", CASES)
def test_changes(case: str) -> None:
    old, new, expected = CASES[case]
    assert [(change.address, change.kind) for change in between(old, new)] == expected


@pytest.mark.parametrize("case", CASES)
def test_the_same_is_silent_and_reversed_is_the_mirror(case: str) -> None:
    old, new, _ = CASES[case]
    assert between(old, old) == between(new, new) == []
    forward, backward = between(old, new), between(new, old)
    assert [MIRROR.get(c.kind, c.kind) for c in forward] == [c.kind for c in backward]
    assert [(c.before, c.after) for c in forward] == [(c.after, c.before) for c in backward]


def test_every_kind_has_a_rule_and_every_rule_a_kind() -> None:
    made = {change.kind for old, new, _ in CASES.values() for change in between(old, new)}
    expected = {"missing", "other-value", "unexpected"}  # what is expected of a fact, of any kind: tests/judge/test_required.py
    assert made == {change for kind, change in by_change() if kind == "file"} - expected
    assert {change for kind, change in by_change() if kind == "commit"} - expected == {"tag-retargeted"}


def test_messages_can_be_made() -> None:
    for old, new, _ in CASES.values():
        for change in between(old, new):
            rule = by_change()["file", change.kind]
            own = {"subject": change.address.subject, "before": change.before, "after": change.after}
            assert change.address.subject in rule.message.format(**{**change.args, **own})


def test_a_rename_reaches_its_new_address() -> None:
    (change,) = between([fact("a")], [fact("b", renamed_from="a", similarity=90)])
    assert change.args == {"to": "b", "similarity": 90, "reaches": ["file:b"]}


def test_a_moved_tag() -> None:
    def at(**tags: str) -> dict[Address, Fact]:
        return {Address.of("commit", tag): Fact(Address.of("commit", tag), sha, "git") for tag, sha in tags.items()}

    (change,) = commits.compare(at(v1="a" * 40, v2="c"), at(v1="b" * 40, v3="d"))
    assert (change.address, change.kind, change.before, change.after) == ("commit:v1", "tag-retargeted", "a" * 40, "b" * 40)
    assert not list(commits.compare(at(v1="a"), at(v1="a")))
    rule = by_change()["commit", "tag-retargeted"]
    assert rule.always and rule.consumer == rule.implementer == "breaking"


def test_through_the_door() -> None:
    old = Snapshot.of(Ref("u", "1"), Observed((fact("a"), Fact(Address("commit:v1"), "x"))))
    new = Snapshot.of(Ref("u", "2"), Observed((fact("a", "b2"), Fact(Address("commit:v1"), "y"))))
    assert [change.kind for change in compare(old, new)] == ["tag-retargeted", "changed"]
    assert compare(old, old) == ()


class TestRows:
    def test_one_row_a_file_at_the_pattern_that_names_it_in_the_order_of_the_watchlist(self) -> None:
        seen = Observed((fact("b/x"), fact("b/y"), fact("a")))
        rows = files.rows(seen, seen, [("b/**", "B"), ("a", "A"), ("b/x", "X"), ("b/*", "later"), ("c/*", "C")], {})
        assert [(row.path, row.pattern, row.breaks, row.change) for row in rows] == [
            ("b/y", "b/**", "B", "same"),
            ("a", "a", "A", "same"),
            ("b/x", "b/x", "X", "same"),
            ("c/*", "c/*", "C", "missing"),
        ]

    def test_a_gap_is_never_missing_or_same(self) -> None:
        gapped = Observed((), (Gap("file:a", "no"), Gap("file:b/**", "no")))
        rows = files.rows(gapped, Observed(), [("a", ""), ("b/**", ""), ("b/x", ""), ("c", "")], {})
        assert [row.change for row in rows] == ["unverified", "unverified", "unverified", "missing"]

    def test_source_names_the_member(self) -> None:
        built = fact("src/a.ts", where="tarball:@s/p@1/dist/a.d.ts", **{"as": "dist/a.d.ts + dist/a.js"})
        plain = fact("b", where="tarball:p@1/b@2x")
        rows = files.rows(Observed((built, plain)), Observed((built, plain)), [("**", "")], {})
        assert [row.source for row in rows] == ["tarball p: b@2x", "tarball @s/p: dist/a.d.ts + dist/a.js"]
