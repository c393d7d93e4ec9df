"""Anchors: which references a document holds, and where the text they mean is in another commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwatch.judge.compare import anchors as compared
from driftwatch.model import Address
from driftwatch.observe.facts.anchors import Sides, observe
from driftwatch.observe.facts.anchors.follow import Span, follow, lines
from driftwatch.observe.facts.anchors.references import references
from driftwatch.observe.sources.git import Mirror
from driftwatch.rules import by_change
from tests.support.git import Repository


def found(text: str) -> list[str]:
    return [reference.member for reference in references("d.md", text)]


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("see packages/plugin/src/index.ts:261, declared", ["packages/plugin/src/index.ts:261"]),
        ("(packages/x/session.ts:786-795).", ["packages/x/session.ts:786-795"]),
        ("`a/b.ts:12`, `a/b.ts:12` and `a/b.ts:13`", ["a/b.ts:12", "a/b.ts:13"]),
        ("a/b.ts#L12-L15 and a/b.ts#L7", ["a/b.ts:12-15", "a/b.ts:7"]),
        ("a/b.ts@1a2b3c4:12", ["a/b.ts@1a2b3c4:12"]),
        (
            "https://example.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/src/a.ts#L3",
            ["src/a.ts@0123456789abcdef0123456789abcdef01234567:3"],
        ),
        ("a/b.ts:12\u201315", ["a/b.ts:12-15"]),
        ("packages/[id]/route.ts:3", ["packages/[id]/route.ts:3"]),
        ("127.0.0.1:8788, 10:20:30, v1.2.3:4, a/b.ts:0, a/b.ts:9-3, 1.18.9:12", []),
        ("host.example.com:8080:9", []),
        ("x" * 30_000 + " a/b.ts:1", []),
        ("a/" * 10_000 + "b.ts:1", []),
    ],
)
def test_references(text: str, members: list[str]) -> None:
    assert found(text) == members


def test_a_reference_knows_its_line() -> None:
    assert [reference.place for reference in references("d.md", "one\ntwo a/b.ts:1\n")] == ["d.md:2"]


TEXT = "alpha beta gamma\n}\n  const answer = compute(42)\n}\nomega omega omega\n"
FOLLOWED = {
    "same": (TEXT, Span(3, 3), TEXT, Span(3, 3)),
    "down": (TEXT, Span(3, 3), f"new line\nother line\n{TEXT}", Span(5, 5)),
    "up": (f"new line\n{TEXT}", Span(4, 4), TEXT, Span(3, 3)),
    "trailing blanks": (TEXT, Span(3, 3), TEXT.replace("\n", "  \r\n"), Span(3, 3)),
    "a bracket with its neighbours": (TEXT, Span(4, 4), f"x\n{TEXT}", Span(5, 5)),
    "a bracket on its own": ("}\nx\n", Span(1, 1), "a\nb\n}\n}\n", None),
    "gone": (TEXT, Span(3, 3), TEXT.replace("compute", "guess"), None),
    "a block": (TEXT, Span(3, 5), f"n\n{TEXT}", Span(4, 6)),
    "a block that grew inside": (TEXT, Span(1, 5), TEXT.replace("  const", "  let more\n  const"), Span(1, 6)),
    "a block without its end": (TEXT, Span(1, 5), TEXT.replace("omega omega omega", "end"), None),
    "moved past its neighbours": (
        "first first first\nsecond second second\n",
        Span(1, 1),
        "second second second\nfirst first first\n",
        Span(2, 2),
    ),
    "twice and not aligned": ("only only only only\n", Span(1, 1), "", None),
}


@pytest.mark.parametrize("case", FOLLOWED)
def test_following(case: str) -> None:
    old, span, new, expected = FOLLOWED[case]
    assert follow(lines(old), lines(new), span) == expected


def test_huge_texts_are_searched() -> None:
    rows = [f"line number {number}" for number in range(30_000)]
    assert follow(rows, ["new", *rows], Span(20_000, 20_001)) == Span(20_001, 20_002)


# --- in a repository

OLD = {"src/a.ts": TEXT, "src/b.ts": "the text of another file\nand its second line\n", "docs/c.ts": "x\n", "lib/c.ts": "x\n"}
DOCUMENT = """\
Moved: src/a.ts:3. Gone: src/a.ts:1. Stays: `src/a.ts:5`? Elsewhere: src/b.ts:1-2. Short: b.ts:2.
Ours: tools/mine.ts:1. Foreign: other/thing.ts:7. Port: localhost.test:80.
"""


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, Mirror, str, str]:
    (tmp_path / "repository").mkdir()
    made = Repository(tmp_path / "repository")
    made.git("init", "-q", "-b", "main")
    before = made.commit(OLD, "v1.0.0")
    new = "inserted\n" + TEXT.replace("alpha beta gamma", "something else")
    moved = OLD["src/b.ts"]
    after = made.commit({"src/a.ts": new, "src/b.ts": None, "lib/moved.ts": moved}, "v1.1.0")
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "tools").mkdir()
    (root / "tools/mine.ts").write_text("")
    (root / "docs/x.md").write_text(DOCUMENT)
    return root, Mirror(str(made.path), tmp_path / "cache"), before, after


def kinds(sides: Sides) -> dict[str, tuple[str, object]]:
    old, new = ({fact.address: fact for fact in side.facts} for side in (sides.old, sides.new))
    return {change.address.member: (change.kind, change.args.get("to")) for change in compared.compare(old, new)}


def test_what_became_of_every_reference(repository: tuple[Path, Mirror, str, str]) -> None:
    root, mirror, before, after = repository
    sides = observe(root, ["docs/*.md"], mirror, before, after)
    assert kinds(sides) == {
        "src/a.ts:3": ("text-moved", "src/a.ts:4"),
        "src/a.ts:1": ("gone", None),
        "src/a.ts:5": ("text-moved", "src/a.ts:6"),
        "src/b.ts:1-2": ("text-moved", "lib/moved.ts:1-2"),
        "b.ts:2": ("text-moved", "lib/moved.ts:2"),
    }
    assert sides.old.gaps == sides.new.gaps == ()
    assert {fact.where for fact in sides.old.facts} == {"docs/x.md:1"}
    assert kinds(observe(root, ["docs/*.md"], mirror, before, before)) == {}


def test_the_lock_remembers_the_text_when_the_document_was_not_corrected(repository: tuple[Path, Mirror, str, str]) -> None:
    root, mirror, before, after = repository
    first = observe(root, ["docs/*.md"], mirror, before, after)
    accepted = {str(fact.address): fact.value for fact in first.new.facts}
    again = observe(root, ["docs/*.md"], mirror, after, after, accepted)
    assert kinds(again)["src/a.ts:3"] == ("text-moved", "src/a.ts:4"), "still not where the document says"
    (root / "docs/x.md").write_text("Corrected: src/a.ts:4\n")
    assert kinds(observe(root, ["docs/*.md"], mirror, after, after, accepted)) == {}


@pytest.mark.parametrize("kept", ["", "x", "9-3", "0", "-1", "3-x", "9" * 5000, "99999999", "\u0663"])
def test_a_lock_that_was_written_by_hand_is_not_believed(repository: tuple[Path, Mirror, str, str], kept: str) -> None:
    root, mirror, before, after = repository
    first = observe(root, ["docs/*.md"], mirror, before, after)
    accepted = {str(fact.address): {**fact.value, "lines": kept} for fact in first.new.facts if isinstance(fact.value, dict)}
    again = observe(root, ["docs/*.md"], mirror, before, after, accepted)
    assert kinds(again) == kinds(first)


def test_a_reference_with_a_commit_means_the_text_of_that_commit(repository: tuple[Path, Mirror, str, str]) -> None:
    root, mirror, before, after = repository
    (root / "docs/x.md").write_text(
        f"src/a.ts@{before[:8]}:3\nhttps://h.test/o/r/blob/{before}/src/a.ts#L5\nsrc/a.ts@abcdef0:1\n"
    )
    sides = observe(root, ["docs/*.md"], mirror, after, after)
    assert set(kinds(sides).values()) == {("text-moved", "src/a.ts:4"), ("text-moved", "src/a.ts:6")}
    assert [gap.reason for gap in sides.new.gaps] == ["commit abcdef0 is not that of a version"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("src/a.ts:99", "src/a.ts has 6 lines at"),
        ("src/never.ts:1", "src/never.ts is not in the repository at"),
        ("none.md", "no document is meant by"),
    ],
)
def test_what_cannot_be_looked_at_is_a_gap_of_both_sides(
    repository: tuple[Path, Mirror, str, str], text: str, reason: str
) -> None:
    root, mirror, before, after = repository
    (root / "docs/x.md").write_text(text)
    sides = observe(root, [text if text == "none.md" else "docs/*.md"], mirror, before, after)
    assert sides.old.facts == sides.new.facts == ()
    assert [gap.reason.startswith(reason) for gap in sides.old.gaps] == [True] and sides.old.gaps == sides.new.gaps


def test_a_path_of_several_files_is_never_guessed(repository: tuple[Path, Mirror, str, str]) -> None:
    root, mirror, before, after = repository
    (root / "docs/x.md").write_text("c.ts:1\n")
    assert observe(root, ["docs/*.md"], mirror, before, after) == Sides()


def test_every_kind_has_a_rule() -> None:
    assert {change for kind, change in by_change() if kind == "anchor"} == {"text-moved", "text-changed", "gone"}
    for kind in ("text-moved", "text-changed", "gone"):
        rule = by_change()["anchor", kind]
        assert rule.message.format(at="docs/x.md:1", to="src/a.ts:4", text="x", address=Address("anchor:x"), before="", after="")
