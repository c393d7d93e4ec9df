"""What a source file declares, by its syntax; texts in files and executables; how far a pin is from the tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.facts import pins, source, texts

FILE = b"""
import type { Hooks } from "./hooks.js" // not a declaration
/** A comment. */
export interface Context extends Base {
  readonly tool: ToolDomain // what it is for
  session?: { readonly hook: Hooks<
    SessionHooks
  > }
  "execute.before": (input: Input /* of the call */) => void
  reload(force?: boolean): Promise<void>
}
export type SessionDomain = Pick<Api, "get"> & { readonly hook: Hook }
export const define = (plugin: Plugin) => plugin
declare function internal(): void
class Client { url: string; close(): void {} }
"""


def values(data: bytes, path: str = "src/a.ts") -> dict[str, Any]:
    return {fact.address.member: fact.value for fact in source.observe(path, data).facts}


def test_declarations_and_their_members() -> None:
    found = values(FILE)
    assert found["Context"] == {"kind": "interface", "exported": True}
    assert found["Context.tool"] == {"type": "ToolDomain", "readonly": True}
    assert found["Context.session"] == {"type": "{ readonly hook: Hooks<SessionHooks> }", "optional": True}
    assert found["Context.session.hook"] == {"type": "Hooks<SessionHooks>", "readonly": True}
    assert found['Context["execute.before"]'] == {"type": "(input: Input) => void"}
    assert found["Context.reload"] == {"type": "(force?: boolean): Promise<void>"}
    assert found["SessionDomain"]["kind"] == "type" and found["SessionDomain.hook"] == {"type": "Hook", "readonly": True}
    assert found["define"] == {"kind": "const", "exported": True}
    assert found["internal"] == {"kind": "function", "exported": False}
    assert found["Client.url"] == {"type": "string"} and found["Client.close"] == {"type": "(): void"}
    assert "Hooks" not in found


def test_comments_and_line_breaks_are_no_part_of_it() -> None:
    spread = FILE.replace(b"readonly tool: ToolDomain // what it is for", b"readonly tool:\n    // other words\n    ToolDomain")
    assert values(spread)["Context.tool"] == values(FILE)["Context.tool"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("add<A, B>(tool: Tool<A, B>): void", "add<\n    A,\n    B,\n  >(\n    tool: Tool<A, B>,\n  ): void"),
        ("pair: [A, B]", "pair: [\n  A,\n  B,\n]"),
    ],
)
def test_how_lines_are_broken_is_no_part_of_it(one: str, other: str) -> None:
    sides = [values(f"interface A {{ {text} }}".encode()) for text in (one, other)]
    assert sides[0] == sides[1]


def test_the_place_is_evidence() -> None:
    facts = {fact.address.member: fact.where for fact in source.observe("src/a.ts", FILE, "git:src/a.ts@0123").facts}
    assert facts["Context.tool"] == "git:src/a.ts@0123:5"


@pytest.mark.parametrize(
    "data", [b"", b"\x00\xff\xfe", b"{{{{", b"export interface {", "interface Ä { ö: ß }".encode(), b"{" * 5000]
)
def test_no_file_is_too_odd(data: bytes) -> None:
    source.observe("src/a.ts", data)


def test_texts_are_counted_and_none_is_an_answer() -> None:
    facts = texts.observe("src/a.ts", b"one FLAG\ntwo FLAG", ["FLAG", "OTHER"], "git:src/a.ts@0").facts
    assert [(fact.address, fact.value, fact.where) for fact in facts] == [
        ("text:src/a.ts#FLAG", 2, "git:src/a.ts@0:1"),
        ("text:src/a.ts#OTHER", 0, "git:src/a.ts@0"),
    ]


def test_texts_in_an_executable(tmp_path: Path) -> None:
    (tmp_path / "host").write_bytes(b"\x7fELF\0FLAG\0x\0FLAG")
    facts = texts.observe_executable(tmp_path / "host", ["FLAG", "OTHER"]).facts
    assert [(fact.address, fact.value) for fact in facts] == [("text:@host#FLAG", 2), ("text:@host#OTHER", 0)]
    with pytest.raises(Unobservable, match="cannot read gone"):
        texts.observe_executable(tmp_path / "gone", ["FLAG"])


@dataclass
class Packument:
    dist_tags: dict[str, str]
    versions: dict[str, Any] = field(default_factory=dict)


PUBLISHED = Packument(
    {"latest": "1.18.10", "next": "2.0.0-beta.2", "old": "1.2.0", "odd": "nightly"},
    dict.fromkeys(["1.2.0", "1.18.4", "1.18.7", "1.18.10", "2.0.0-beta.1", "2.0.0-beta.2"]),
)


def test_how_far_a_pin_is_from_each_tag() -> None:
    facts = {fact.address: fact.value for fact in pins.observe("@x/y", "1.18.4", PUBLISHED).facts}
    assert facts == {
        "pin:@x/y": {"version": "1.18.4"},
        "pin:@x/y#latest": {"version": "1.18.10", "behind": 2},  # 1.18.9 was never published
        "pin:@x/y#next": {"version": "2.0.0-beta.2", "behind": 4},
        "pin:@x/y#old": {"version": "1.2.0", "ahead": 1},
        "pin:@x/y#odd": {"version": "nightly"},
    }


def test_a_pin_that_is_not_published_is_a_gap() -> None:
    told = pins.observe("@x/y", "1.18.9", PUBLISHED)
    assert not told.facts and "1.18.9 is not published" in told.gaps[0].reason


def test_a_file_that_is_too_large_is_a_gap_and_not_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_FILE", 10)
    found = source.observe("src/a.ts", FILE)
    assert found.facts == ()
    (gap,) = found.gaps
    assert gap.address == "source:src/a.ts"
    assert gap.reason == f"the file has {len(FILE)} bytes; more than 10 are not read"
