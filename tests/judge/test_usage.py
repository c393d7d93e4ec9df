"""Findings by the lines of our own source: cases of the `use` rules, which lines a change touches, and in which role."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.judge.fingerprint import fingerprint
from driftwatch.judge.misuse import Keys, misuses
from driftwatch.judge.terms import Relied, Terms
from driftwatch.judge.usage import Uses, places, read
from driftwatch.judge.verdict import judge
from driftwatch.model import Address, Change, Fact, Finding, Gap, Observed, Ref, Snapshot
from driftwatch.rules import catalogue

CASES = Path(__file__).parents[1] / "cases"
OURS = sorted(rule.id for rule in catalogue().values() if rule.id.startswith("use-") or rule.id == "deprecation-signal-used")
TODAY = date(2026, 12, 1)
HOOKS = "ts:@x/plugin#Hooks"


@dataclass(frozen=True)
class Signal:
    address: str
    state: str = "deprecated"
    replacement: str = ""
    since: str = ""
    note: str = ""


def snapshot(facts: dict[str, Any], use: dict[str, Any], gaps: tuple[Gap, ...] = ()) -> Snapshot:
    found = tuple(Fact(Address(address), value) for address, value in {**facts, **use}.items())
    return Snapshot.of(Ref("host", "1.0.0"), Observed(found, gaps))


def used(kind: str, *lines: str, **more: Any) -> dict[str, Any]:
    return {"kinds": [kind], "lines": list(lines), **more}


def uses(rows: dict[str, Any]) -> Uses:
    return Uses(read(Fact(Address(address), value) for address, value in rows.items()))


def said(found: Finding) -> dict[str, Any]:
    row: dict[str, Any] = {"rule": found.rule, "address": str(found.address), "relied_on": list(found.relied_on)}
    return row if found.confidence == "proven" else {**row, "confidence": found.confidence}


def load(case: str, name: str) -> Any:
    path = CASES / case / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else []


def sides(case: str) -> tuple[Snapshot, Snapshot, tuple[Signal, ...]]:
    use = load(case, "use")
    signals = tuple(Signal(**row) for row in load(case, "signals"))
    return snapshot(load(case, "old"), use), snapshot(load(case, "new"), use), signals


# --- the rules ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", OURS)
def test_a_case_gives_exactly_what_it_says(case: str) -> None:
    """Every rule over every case: nothing of another rule may show."""
    old, new, signals = sides(case)
    made = misuses(uses(load(case, "use")), old, new, (), signals)
    verdict = judge([], old, new, Terms("implementer", TODAY, signals=signals, reliances=(Relied("file:nothing"),)))
    assert sorted(map(said, verdict.findings), key=lambda row: row["address"]) == load(case, "expected")
    assert {finding.rule for finding in verdict.findings} == {case} and len(made) == len(verdict.findings)
    assert all(finding.counts for finding in verdict.findings), "what our own source does wrong always counts"


@pytest.mark.parametrize("case", OURS)
def test_without_a_scan_nothing_is_said(case: str) -> None:
    old, new, signals = sides(case)
    assert misuses(Uses(()), old, new, (), signals) == []


@pytest.mark.parametrize("case", OURS)
def test_a_version_that_was_not_looked_at_accuses_nobody(case: str) -> None:
    _, _, signals = sides(case)
    empty = snapshot({}, load(case, "use"))
    kinds = {change.kind for change in misuses(uses(load(case, "use")), empty, empty, (), signals)}
    assert kinds <= {"signal-used"}, "only the watchlist's own words need no look at the host"


@pytest.mark.parametrize("case", OURS)
def test_a_message_names_only_what_its_change_carries(case: str) -> None:
    old, new, signals = sides(case)
    rule = catalogue()[case]
    named = {name for _, name, _, _ in string.Formatter().parse(rule.message) if name}
    for change in misuses(uses(load(case, "use")), old, new, (), signals):
        assert named <= {"address", "subject", "member", "before", "after", "where", *change.args}


def test_a_removed_hook_is_one_finding_and_it_is_about_our_key() -> None:
    old, new, _ = sides("use-unknown-hook")
    removed = Change(Address(f'{HOOKS}["tool.execute.before"]'), "removed", "function", None)
    verdict = judge([removed], old, new, Terms("implementer", TODAY))
    assert [(finding.rule, finding.severity) for finding in verdict.findings] == [("use-unknown-hook", "risky")]


@pytest.mark.parametrize(
    "change",
    [
        Change(Address("event:session.updated"), "removed", {}, None),
        Change(Address("event:session.updated"), "renamed", "session.updated", "session.changed"),
    ],
)
def test_what_the_comparison_says_is_not_said_again(change: Change) -> None:
    old, new, _ = sides("use-unknown-event")
    rules = [finding.rule for finding in judge([change], old, new, Terms("consumer", TODAY)).findings]
    assert rules.count(f"event-{change.kind}") == 1
    assert [str(finding) for finding in rules if finding == "use-unknown-event"] == ["use-unknown-event"], "of the other event"


def test_a_missing_export_is_the_comparisons_to_tell_when_it_saw_it_go() -> None:
    old, new, _ = sides("use-missing-export")
    gone = [Change(Address("ts:@x/plugin/tool"), "entry-removed"), Change(Address("ts:@x/plugin#gone"), "export-removed")]
    assert misuses(uses(load("use-missing-export", "use")), old, new, gone) == []


def test_events_are_also_known_from_declared_types() -> None:
    shape = {"obj": {"props": [{"n": "type", "t": {"lit": "session.updated"}}, {"n": "properties", "t": {"obj": {}}}]}}
    facts = {"ts:@x/sdk#EventSessionUpdated": {"kind": ["alias"], "type": shape}, "event:session.idle": {}}
    use = {"use:a.ts#event:session.updated": used("event", "1:1"), "use:a.ts#event:session.gone": used("event", "2:1")}
    new = snapshot(facts, use)
    assert [change.address for change in misuses(uses(use), new, new, ())] == ["event:session.gone"]


def test_config_keys_that_are_the_users_own_are_known() -> None:
    keys = Keys(dict.fromkeys(["config:mcp.*.enabled", "config:tools", "config:plugin.[]"]))  # type: ignore[arg-type]
    assert keys.unknown("config:mcp.anything.enabled") == ""
    assert keys.unknown("config:tools.bash") == "", "nothing is listed below: anything goes"
    assert keys.unknown("config:mcp.x.nope") == "mcp.x.nope"
    assert keys.unknown("config:nope.deeper") == "nope"
    assert not Keys({})


# --- which lines a change touches -----------------------------------------------------------------------------------

BEFORE = f'{HOOKS}["tool.before"]'
TOUCHES = [
    (BEFORE, "hook", BEFORE, True),
    (BEFORE, "hook", HOOKS, True),
    (BEFORE, "hook", f"{BEFORE}()", True),
    (BEFORE, "hook", f"{BEFORE}(1)", True),
    (BEFORE, "hook", f"{BEFORE}(1).args", False),  # what we read and write in there has lines of its own
    (BEFORE, "hook", f'{HOOKS}["tool.before.more"]', False),
    (BEFORE, "hook", "call:tool.before", True),
    (BEFORE, "read", "call:tool.before", False),
    ("ts:@x/sdk#Session.get", "call", "ts:@x/sdk#Session.get(0).path", True),
    ("ts:@x/sdk#Session.get", "call", "ts:@x/sdk#Session", True),
    ("ts:@x/sdk#Session.get", "call", "ts:@x/sdk#SessionV2", False),
    ("ts:@x/sdk#Session.get", "call", "ts:@x/sdk#Session.getAll", False),
    ("ts:@x/plugin#Plugin", "import-type", "ts:@x/plugin#Plugin", True),
    ("ts:@x/plugin#Plugin", "import-type", "ts:@x/plugin#Plugin(0)", False),
    ("ts:@x/plugin/tool#tool", "import", "ts:@x/plugin/tool", True),
    ("ts:@x/plugin/tool#tool", "import", "ts:@x/plugin", False),
    ("http:POST /session/{}", "call", "http:POST /session/{}#body.model", True),
    ("http:POST /session/{}", "call", "http:GET /session/{}", False),
    ("event:session.idle", "event", "event:session.idle", True),
    ("event:session.idle", "event", "event:session.idle#properties.id", False),  # what is read of it has lines of its own
    ("event:session.idle#properties.id", "read", "event:session.idle", True),
    ("event:session.idle#properties", "read", "event:session.idle#properties.id", True),
    ("event:session.**", "event", "event:session.idle", True),
    ("event:session.**", "event", "event:session.idle#properties.id", False),
    ("config:agent.build", "config-set", "config:agent.*", True),
    ("config:agent.build", "config-set", "config:agent.*.prompt", True),
    ("config:agent.build.prompt", "config-set", "config:agent.plan", False),
    ("config:permission.bash", "config-set", "config:permission.(object).bash", True),
]


@pytest.mark.parametrize(("address", "kind", "change", "touched"), TOUCHES)
def test_what_touches_a_use(address: str, kind: str, change: str, touched: bool) -> None:
    found = uses({f"use:src/a.ts#{address}": used(kind, "3:1")}).touched([change])
    assert places(found) == (("src/a.ts:3",) if touched else ())


def test_what_is_only_stepped_through_is_not_touched_from_below() -> None:
    address = "ts:@x/sdk#Client.session"
    found = uses({f"use:a.ts#{address}": used("read", "3:1", through=True)})
    assert places(found.touched([address])) == ("a.ts:3",)
    assert found.touched([f"{address}.get"]) == ()


def test_what_is_read_whole_is_touched_by_its_own_parts_and_not_by_what_they_lead_to() -> None:
    found = uses({"use:a.ts#ts:@x/plugin#Input.model": used("read", "3:1")})
    assert places(found.touched(["ts:@x/plugin#Input.model.id"])) == ("a.ts:3",)
    assert found.touched(["ts:@x/sdk#Auth.key", "ts:@x/plugin#Input.model.auth.key"]) == ()


def test_the_payload_counts_where_it_is_taken_whole_or_has_no_types() -> None:
    name, whole = {"use:a.ts#event:x.y": used("event", "3:1")}, {"use:a.ts#event:*#properties": used("read", "2:1")}
    change = "event:x.y#properties.id"
    assert uses(name).touched([change]) == ()
    assert places(uses({**name, **whole}).touched([change])) == ("a.ts:3",)
    assert places(uses({"use:a.ts#event:x.y": used("event", "3:1", unsure=True)}).touched([change])) == ("a.ts:3",)


def test_a_name_that_leads_to_a_change_does_not_spread_it_to_its_other_parts() -> None:
    found = uses({"use:a.ts#ts:@x/plugin#Input.client": used("read", "3:1")})
    assert found.touched(["ts:@x/sdk#Auth.key", "ts:@x/plugin#Input"]) == ()
    assert places(found.touched(["ts:@x/plugin#Input"])) == ("a.ts:3",)


def test_the_body_of_an_error_that_answers_share_is_no_call() -> None:
    found = uses({"use:a.ts#http:GET /session/{}": used("call", "3:1")})
    assert found.touched(["schema:NotFound#name", "http:GET /session/{}#response.404.name"]) == ()
    assert places(found.touched(["http:GET /session/{}#response.404"])) == ("a.ts:3",)


def test_of_an_answer_only_what_is_read_counts() -> None:
    call, read_ = used("call", "3:1"), used("read", "4:1")
    address, title = "use:a.ts#http:GET /session/{}", {"use:a.ts#ts:@x/sdk#Session.title": read_}
    for change in (
        ["schema:Session#title", "http:GET /session/{}#response.200.title"],
        ["http:GET /session/{}#response.200.title"],
    ):
        assert places(uses({address: call, **title}).touched(change)) == ("a.ts:3",)
        assert uses({address: call}).touched(change) == ()
        assert places(uses({address: {**call, "unsure": True}}).touched(change)) == ("a.ts:3",), (
            "nothing is known of what is read"
        )
    found = uses({address: call})
    for whole in ("#response.200", "#response.200[]", "#body.title", "#query.limit"):
        assert places(found.touched([f"http:GET /session/{{}}{whole}"])) == ("a.ts:3",)
    listed = uses({"use:a.ts#http:GET /m": call, "use:a.ts#ts:@x/sdk#M.parts": read_})
    assert places(listed.touched(["schema:M", "http:GET /m#response.200[].info(role=user).parts[]"])) == ("a.ts:3",)


def test_what_is_made_and_read_is_touched_as_each() -> None:
    both = snapshot({}, {"use:a.ts#ts:@x/sdk#Config.agent": {"kinds": ["read", "write"], "lines": ["3:1"]}})
    widened = Change(Address("ts:@x/sdk#Agent.prompt"), "widened", args={"reaches": ["ts:@x/sdk#Config.agent.prompt"]})
    finding = judge([widened], both, both, Terms("consumer", TODAY)).findings[0]
    assert (finding.role, finding.severity, finding.relied_on) == ("implementer", "info", ("a.ts:3",))


def test_a_key_that_shares_a_schema_with_a_change_does_not_spread_to_keys_beside_it() -> None:
    found = uses({"use:a.ts#config:agent": used("config-set", "3:1"), "use:a.ts#config:mcp.x": used("config-set", "4:1")})
    assert found.touched(["schema:Config#agent.scout", "config:agent.scout"]) == ()
    assert places(found.touched(["schema:Mcp", "config:mcp.*"])) == ("a.ts:4",)
    assert places(found.touched(["config:agent.scout"])) == ("a.ts:3",)


@pytest.mark.parametrize(
    ("kind", "touched"), [("write", True), ("read", False), ("call", False), ("hook", False), ("import", False)]
)
def test_a_type_that_leads_to_a_change_is_told_where_we_make_the_value(kind: str, touched: bool) -> None:
    found = uses({"use:a.ts#ts:@x/sdk#Data.body": used(kind, "3:1")})
    reached = ["ts:@x/sdk#Part.id", "ts:@x/sdk#Data.body", "ts:@x/sdk#Data.body.parts[].id"]
    assert bool(found.touched(reached)) is (kind == "write")


def test_lines_come_sorted_by_file_and_number_each_once() -> None:
    found = uses(
        {
            "use:b.ts#event:x.y": used("event", "2:1"),
            "use:a.ts#event:x.y": used("event", "10:1", "9:3", "9:40"),
        }
    )
    assert places(found.touched(["event:x.y", "event:x.y"])) == ("a.ts:9", "a.ts:10", "b.ts:2")


# --- the verdict ----------------------------------------------------------------------------------------------------

NARROWED = Change(Address("ts:@x/sdk#Part.text"), "narrowed", "string | number", "string")
WIDENED = Change(Address("ts:@x/sdk#Part.text"), "widened", "string", "string | null")


def verdict_of(change: Change, kind: str, **terms: Any) -> Finding:
    both = snapshot({}, {"use:src/a.ts#ts:@x/sdk#Part.text": used(kind, "4:2")})
    return judge([change], both, both, Terms("implementer", TODAY, **terms)).findings[0]


@pytest.mark.parametrize(
    ("kind", "change", "role", "severity"),
    [
        ("read", WIDENED, "consumer", "breaking"),
        ("write", WIDENED, "implementer", "info"),
        ("read", NARROWED, "consumer", "info"),
        ("write", NARROWED, "implementer", "breaking"),
    ],
)
def test_the_role_comes_from_the_kind_of_use(kind: str, change: Change, role: str, severity: str) -> None:
    finding = verdict_of(change, kind)
    assert (finding.role, finding.severity, finding.relied_on, finding.counts) == (role, severity, ("src/a.ts:4",), True)


def test_patterns_stand_before_lines() -> None:
    finding = verdict_of(WIDENED, "read", reliances=(Relied("ts:@x/sdk#Part"),))
    assert finding.relied_on == ("ts:@x/sdk#Part", "src/a.ts:4")


def test_a_change_nobody_uses_is_told_and_does_not_count() -> None:
    both = snapshot({}, {"use:src/a.ts#ts:@x/sdk#Part.text": used("read", "4:2")})
    other = Change(Address("ts:@x/sdk#Part.other"), "removed", "string", None)
    outside = Change(Address("manifest:@x/sdk#engines.node"), "removed", ">=20", None)
    told = judge([other, outside], both, both, Terms("consumer", TODAY, everything=True))
    assert {finding.address.kind: finding.counts for finding in told.findings} == {"ts": False, "manifest": True}


def test_without_a_scan_everything_still_counts() -> None:
    empty = snapshot({}, {})
    assert judge([WIDENED], empty, empty, Terms("consumer", TODAY, everything=True)).findings[0].counts


@pytest.mark.parametrize(("exhaustive", "severity"), [(True, "breaking"), (False, "risky")])
def test_a_new_member_breaks_a_switch_that_must_handle_every_one(exhaustive: bool, severity: str) -> None:
    use = {"use:a.ts#ts:@x/sdk#Event": used("switch", "5:3", exhaustive=exhaustive)}
    both = snapshot({}, use)
    added = Change(Address("ts:@x/sdk#Event"), "union-member-added", args={"members": "EventNew"})
    finding = judge([added], both, both, Terms("implementer", TODAY)).findings[0]
    assert (finding.severity, finding.relied_on) == (severity, ("a.ts:5",))


def test_lines_do_not_change_the_fingerprint() -> None:
    one = verdict_of(WIDENED, "read")
    assert one.fingerprint == fingerprint(one.rule, one.address, one.args)
    moved = snapshot({}, {"use:src/b.ts#ts:@x/sdk#Part.text": used("read", "99:1")})
    assert judge([WIDENED], moved, moved, Terms("implementer", TODAY)).findings[0].fingerprint == one.fingerprint


@pytest.mark.parametrize(
    ("gap", "terms", "outcome"),
    [
        ("use:**", {"source": True}, "unverified"),
        ("use:**", {"everything": True}, "unverified"),
        ("use:**", {}, "compatible"),
        ("use:src/a.ts", {"source": True}, "compatible"),
        ("use:src/a.ts", {"reliances": (Relied("use:src/a.ts"),)}, "unverified"),
    ],
)
def test_a_scan_that_failed_is_never_no_change(gap: str, terms: dict[str, Any], outcome: str) -> None:
    both = snapshot({}, {}, (Gap(gap, "the scan failed"),))
    assert judge([], both, both, Terms("consumer", TODAY, **terms)).outcome == outcome


def test_use_facts_are_no_changes_themselves() -> None:
    old, new = snapshot({}, {"use:a.ts#event:x": used("event", "1:1")}), snapshot({}, {})
    assert compare(old, new) == ()
