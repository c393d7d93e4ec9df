"""Events read off a manifest in source: what is followed, what becomes a gap."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest

from driftwatch.errors import Unobservable
from driftwatch.judge.compare import compare
from driftwatch.model import Observed, Ref, Snapshot
from driftwatch.observe.facts import events

FILES = {
    "src/manifest.ts": """
        export * as Manifest from "./manifest"
        import { Session } from "./session"
        import * as Tui from "./tui.js"
        import { Legacy } from "./legacy"
        import { External } from "@elsewhere/events"
        const live = Session.Event.Definitions.filter((each) => each.durable === undefined)
        const core = Event.inventory(...live, ...Tui.Definitions)
        export const Definitions = Event.inventory(...core, Legacy.Old, ...External.Definitions)
    """,
    "src/session.ts": """
        export * as Session from "./session"
        import { define, inventory } from "./event"
        import { ID as SessionID, optional } from "./ids"
        const Base = { sessionID: SessionID, time: Schema.Struct({ created: Schema.Number }) }
        const options = { durable: { version: 1 } } as const
        export namespace Step {
          export const Started = define({ type: "step.started", ...options, schema: Fields })
          const Fields = { ...Base, files: Schema.Array(Schema.String) }
        }
        const Status = define({
          type: "session.status",
          schema: {
            ...Base,
            status: Schema.Union([
              Schema.Struct({ type: Schema.Literal("idle") }),
              Schema.Struct({ type: Schema.Literal("retry"), attempt: Schema.Int }),
            ]).annotate({ identifier: "Status" }),
            note: optional(Schema.String),
            reply: Schema.Literals(["once", "always"]).pipe(Schema.optional),
            meta: Schema.Record(Schema.String, Schema.Unknown),
            nothing: Schema.NullOr(Schema.Boolean),
            odd: someCall(1),
          },
        })
        export const Event = { Status, Definitions: inventory(Status, Step.Started) }
    """,
    "src/ids.ts": 'export const ID = Schema.String.check(Schema.isStartsWith("x")).pipe(Schema.brand("ID"))',
    "src/tui.ts": 'export const Definitions = inventory(define({ type: "tui.toast", schema: {} }))',
    "src/legacy.ts": 'export * from "./v1/legacy"',
    "src/v1/legacy.ts": 'export * as Legacy from "./legacy"\nexport const Old = define({ type: "old", schema: Info.fields })\n'
    "const Info = Schema.Struct({ name: Schema.String })",
}


def read(path: str) -> bytes | None:
    return FILES[path].encode() if path in FILES else None


def observe() -> Observed:
    return events.observe(read, "src/manifest.ts")


def test_events_and_payloads_across_modules() -> None:
    found = {str(fact.address): fact.value for fact in observe().facts}
    assert sorted(address for address in found if "#" not in address) == [
        "event:old",
        "event:session.status",
        "event:step.started",
        "event:tui.toast",
    ]
    assert {
        address.partition("#")[2]: value for address, value in found.items() if address.startswith("event:session.status#")
    } == {
        "properties": {"required": True, "type": "object"},
        "properties.sessionID": {"required": True, "type": "string"},
        "properties.time": {"required": True, "type": "object"},
        "properties.time.created": {"required": True, "type": "number"},
        "properties.status": {"required": True, "type": "union"},
        "properties.status(type=idle)": {"type": "object"},
        "properties.status(type=idle).type": {"required": True, "type": "string", "enum": ["idle"]},
        "properties.status(type=retry)": {"type": "object"},
        "properties.status(type=retry).type": {"required": True, "type": "string", "enum": ["retry"]},
        "properties.status(type=retry).attempt": {"required": True, "type": "integer"},
        "properties.note": {"type": "string"},
        "properties.reply": {"type": "string", "enum": ["always", "once"]},
        "properties.meta": {"required": True, "type": "object"},
        "properties.meta[string]": {"type": "any"},
        "properties.nothing": {"required": True, "type": "boolean", "nullable": True},
        "properties.odd": {"required": True, "type": "expression", "expression": "someCall(1)"},
    }
    assert found["event:old#properties.name"] == {"required": True, "type": "string"}


def test_what_is_not_followed_is_a_gap() -> None:
    gaps = {gap.address: gap.reason for gap in observe().gaps}
    assert "External.Definitions" in gaps["event:**"]
    assert "someCall(1)" in gaps["event:session.status#properties.odd"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "is not there"),
        ("export const Other = []", "no list"),
        ("export const Definitions = make()", "no list"),
        ("}{", "no list"),
    ],
)
def test_a_manifest_that_cannot_be_read(source: str | None, words: str) -> None:
    with pytest.raises(Unobservable, match=words):
        events.observe(lambda path: source.encode() if source is not None and path == "m.ts" else None, "m.ts")


def test_modules_that_import_each_other_end() -> None:
    files = {
        "a.ts": 'export * from "./b"\nexport const Definitions = [X]\nimport { X } from "./b"',
        "b.ts": 'export * from "./a"',
    }
    found = events.observe(lambda path: files[path].encode() if path in files else None, "a.ts")
    assert found.facts == ()
    assert len(found.gaps) == 1


def snapshot(**edits: str) -> Snapshot:
    made = dict(FILES)
    for old, new in edits.items():
        made = {path: text.replace(old, new) for path, text in made.items()}
    return Snapshot.of(
        Ref("host", "1"), events.observe(lambda path: made[path].encode() if path in made else None, "src/manifest.ts")
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"session.status"', '"session.state"', [("renamed", "event:session.status")]),
        ("Legacy.Old, ", "", [("removed", "event:old")]),
        (
            "attempt: Schema.Int",
            "attempt: Schema.String",
            [("payload-type-changed", "event:session.status#properties.status(type=retry).attempt")],
        ),
        (
            "note: optional(Schema.String)",
            "note: Schema.String",
            [("payload-became-required", "event:session.status#properties.note")],
        ),
        ('["once", "always"]', '["once"]', [("payload-enum-value-removed", "event:session.status#properties.reply")]),
        ("someCall(1)", "anotherCall()", []),
        ("const live", "// moved\n const live", []),
    ],
)
def test_edits_of_a_manifest(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    found = [(change.kind, str(change.address)) for change in compare(snapshot(), snapshot(**{old: new}))]
    assert found == expected


def test_the_real_manifest() -> None:
    """88 events at v1.17.11 and at v1.18.3, and no change between them."""
    mirror = os.environ.get("DRIFTWATCH_TEST_MIRROR")
    if not mirror:
        pytest.skip("DRIFTWATCH_TEST_MIRROR names no mirror of the history")

    def at(tag: str) -> Any:
        def read(path: str) -> bytes | None:
            answer = subprocess.run(["git", "-C", mirror, "show", f"{tag}:{path}"], capture_output=True, check=False)
            return answer.stdout if answer.returncode == 0 else None

        return events.observe(read, "packages/schema/src/event-manifest.ts")

    old, new = at("v1.17.11"), at("v1.18.3")
    assert [sum("#" not in fact.address for fact in found.facts) for found in (old, new)] == [88, 88]
    assert not [gap for gap in new.gaps if gap.address == "event:**"]
    assert compare(Snapshot.of(Ref("host", "1"), old), Snapshot.of(Ref("host", "2"), new)) == ()
