"""Who hands over what changed: a hook reads what it is handed, a caller writes what a function takes."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.judge.sides import Sides
from driftwatch.judge.terms import Relied, Terms
from driftwatch.judge.verdict import judge
from driftwatch.model import Address, Change, Fact, Finding, Observed, Ref, Role, Snapshot

TS = "ts:x#"


def obj(**members: Any) -> Any:
    return {"obj": {"props": [{"n": name, "t": node} for name, node in sorted(members.items())]}}


def function(result: Any, *takes: Any) -> Any:
    return {"obj": {"call": [{"p": [{"t": node} for node in takes], "r": result}]}}


def ref(name: str, *args: Any) -> Any:
    return {"ref": name if name.startswith("@") else f"x#{name}", **({"args": list(args)} if args else {})}


def facts(new: bool, used: dict[str, str]) -> dict[str, Any]:
    """Payload gets a member that must be there; who meets it where is what the tests are about."""
    payload = obj(id="string", extra="string") if new else obj(id="string")
    hooks = obj(
        event=function("void", obj(event=ref("Payload"))),
        wrap=function("void", function("void", ref("Payload"))),
        make=function(ref("@lib#Promise", ref("Payload"))),
        maybe=ref("Unknown", ref("Payload")),
    )
    tops = {".event": ["x#Payload"], ".wrap": ["x#Payload"], ".make": ["x#Payload"], ".maybe": ["x#Payload"]}
    rows: dict[str, Any] = {
        "ts:x": {"entry": "index.d.ts"},
        f"{TS}Payload": {"api": 1, "kind": ["interface"], "type": payload},
        f"{TS}Hooks": {"api": 1, "kind": ["interface"], "type": hooks, "uses": tops},
        f"{TS}send": {"api": 1, "kind": ["function"], "value": function("void", ref("Payload")), "uses": {"(0)": ["x#Payload"]}},
        f"{TS}get": {"api": 1, "kind": ["function"], "value": function(ref("Payload")), "uses": {"()": ["x#Payload"]}},
    }
    return rows | {f"use:src/a.ts#{address}": {"kinds": [kind], "lines": ["1:1"]} for address, kind in used.items()}


def snapshot(rows: dict[str, Any]) -> Snapshot:
    return Snapshot.of(Ref("x", "1"), Observed(tuple(Fact(Address(address), value) for address, value in rows.items()), ()))


def found(reliance: str, role: Role, **used: str) -> Finding:
    named = {address.replace("__", ":x#"): kind for address, kind in used.items()}
    old, new = snapshot(facts(False, named)), snapshot(facts(True, named))
    terms = Terms("implementer", date(2026, 12, 1), reliances=(Relied(reliance, role=role),))
    [finding] = judge(compare(old, new), old, new, terms).findings
    return finding


def test_a_change_says_from_where_it_goes_which_way() -> None:
    [change] = compare(snapshot(facts(False, {})), snapshot(facts(True, {})))
    assert change.address == f"{TS}Payload.extra" and change.kind == "added-required"
    assert change.args["sides"] == {
        "turned": [f"{TS}Hooks.event"],
        "read": [f"{TS}get()"],
        "written": [f"{TS}send(0)"],
    }, "a callback's parameter turns twice, a promise gives, and of an unknown name's argument both is possible"


@pytest.mark.parametrize(
    ("reliance", "role", "severity"),
    [
        (f"{TS}Hooks.make", "implementer", "breaking"),
        (f"{TS}Hooks.wrap", "implementer", "breaking"),
        (f"{TS}Hooks.maybe", "implementer", "breaking"),
        (f"{TS}Hooks.event", "implementer", "breaking"),  # nothing was scanned: what is handed over may be written into
        (f"{TS}Hooks.event", "consumer", "breaking"),  # who calls the hook makes the payload
        (f"{TS}Hooks.make", "consumer", "info"),
        (f"{TS}send", "consumer", "breaking"),
        (f"{TS}get", "consumer", "info"),
        (f"{TS}get", "implementer", "info"),  # nobody but the package writes its functions
        (f"{TS}Payload", "consumer", "info"),
    ],
)
def test_the_role_is_meant_where_it_is_said(reliance: str, role: Role, severity: str) -> None:
    finding = found(reliance, role)
    assert (finding.severity, finding.counts) == (severity, True)


def test_of_what_a_scanned_source_is_handed_its_uses_tell() -> None:
    assert found(f"{TS}Hooks.event", "implementer", ts__Hooks="hook").severity == "info"
    assert found(f"{TS}Hooks.make", "implementer", ts__Hooks="hook").severity == "breaking"
    assert found(f"{TS}Hooks.event", "implementer", ts__Payload="write").severity == "breaking"


def test_what_a_scanned_source_does_not_make_is_not_its_business_by_a_name_that_leads_there() -> None:
    assert found(f"{TS}Hooks.make", "implementer", ts__Other="hook").severity == "info"
    assert found(f"{TS}Hooks.event", "consumer", ts__Other="read").severity == "info"
    assert found(f"{TS}Payload", "implementer", ts__Other="read").severity == "breaking", "it is said of the type itself"


def test_another_name_of_the_same_member_is_the_member_itself() -> None:
    change = Change(
        Address(f"{TS}Payload.extra"), "removed", "string", None, args={"sides": {"here": [f"{TS}Api.payload.extra"]}}
    )
    sides = Sides(change, known=True)
    assert not sides.is_told_by_use(f"{TS}Api.payload.extra", "consumer", made=False)
    assert sides.is_told_by_use(f"{TS}Api.other", "consumer", made=False)


def test_a_type_that_everything_callable_takes_and_nothing_gives_is_written() -> None:
    rows = [facts(new, {}) for new in (False, True)]
    for row in rows:
        del row[f"{TS}get"]
    [change] = compare(*map(snapshot, rows))
    assert f"{TS}Payload.extra" in change.args["sides"]["written"]  # type: ignore[call-overload, index]
    assert Sides(change, known=False).roles(f"{TS}Payload.extra", "consumer") == {"implementer"}


def test_a_change_that_says_nothing_leaves_the_role() -> None:
    change = Change(Address(f"{TS}Payload.extra"), "added-required", None, "string")
    assert Sides(change, known=True).roles(f"{TS}Hooks.event", "implementer") == {"implementer"}
    assert not Sides(change, known=True).is_told_by_use(f"{TS}Hooks.event", "implementer", made=False)
