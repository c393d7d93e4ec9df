"""Facts of APIs for tests: an OpenAPI document, a JSON schema of a configuration, or counts of call sites."""

from __future__ import annotations

from typing import Any

from driftwatch.judge.compare import compare
from driftwatch.model import Address, Change, Fact, Observed, Ref, Snapshot
from driftwatch.observe.facts import hostconfig, openapi
from driftwatch.rules import by_change


def observed(document: dict[str, Any]) -> Observed:
    """By what the document is: OpenAPI, the counts of call sites (name -> number), or else a configuration's JSON schema."""
    if "openapi" in document:
        return openapi.observe(document)
    if all(isinstance(value, int) for value in document.values()):
        return Observed(tuple(Fact(Address.of("call", hook), count) for hook, count in document.items()))
    return hostconfig.observe(document)


def snapshot(document: dict[str, Any], version: str = "1") -> Snapshot:
    return Snapshot.of(Ref("api", version), observed(document))


def changes(old: dict[str, Any], new: dict[str, Any]) -> tuple[Change, ...]:
    return compare(snapshot(old), snapshot(new, "2"))


def said(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
    """(kind, address) of every change, sorted."""
    return sorted((change.kind, str(change.address)) for change in changes(old, new))


def rules(old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, str]]:
    """The rule and the address of every change. A change that no rule describes is a KeyError."""
    found = [(by_change()[change.address.kind, change.kind].id, str(change.address)) for change in changes(old, new)]
    return [{"rule": rule, "address": address} for rule, address in sorted(found)]
