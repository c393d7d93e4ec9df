"""A small rule catalogue that stays as it is, for tests whose expected bytes hold messages."""

from __future__ import annotations

from collections.abc import Mapping

from driftwatch.rules import Rule


def _rule(name: str, message: str, todo: str = "", about: str = "") -> Rule:
    kind, _, change = name.partition("-")
    return Rule(name, kind, change, "risky", "breaking", message, about or f"About `{name}`.", todo or f"Act on `{name}`.")


SAMPLE: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        _rule("file-changed", "watched file `{subject}` changed (+{added} -{removed})", "Read the diff."),
        _rule("file-removed", "watched file {subject} is gone"),
        _rule("manifest-added", "{member} of {subject} is new: {after}"),
        _rule("manifest-changed", "{member} of {subject} changed from {before} to {after}"),
        _rule("manifest-removed", "{member} of {subject} is gone, it was {before}"),
        _rule("probe-broken", "probe {subject} held before and is {after} now", "Stay where you are, or work around it."),
        _rule("probe-fixed", "probe {subject} was {before} and holds now"),
        _rule("tag-added", "dist-tag {member} of {subject} is new, at {after}"),
        _rule("tag-moved-backward", "dist-tag {member} of {subject} moved backward from {before} to {after}"),
        _rule("ts-removed", "{member} is no longer declared by {subject}", "Find what took its place with `driftwatch floor`."),
    )
}
