"""Which tags are early, whose names touch what is relied on, and when a look is overdue."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from driftwatch.judge.early import news, touching, words
from driftwatch.judge.overdue import overdue
from driftwatch.model import TagRow

RELIED = (
    "ts:@opencode-ai/plugin/tui#TuiPluginApi.attention.notify",
    "http:POST /session#body.model",
    "probe:opencode/dispose#fired",
    "file:packages/plugin/src/v2/**",
    'ts:@opencode-ai/plugin#Hooks["tool.execute.before"]',
    "event:session.status#properties.status",
)


@pytest.mark.parametrize(
    ("tag", "touched"),
    [
        ("tui-v2", ["ts:@opencode-ai/plugin/tui#TuiPluginApi.attention.notify", "file:packages/plugin/src/v2/**"]),
        ("fix/attention-sound", ["ts:@opencode-ai/plugin/tui#TuiPluginApi.attention.notify"]),
        ("SessionRewrite", ["http:POST /session#body.model", "event:session.status#properties.status"]),
        ("sessions", ["http:POST /session#body.model", "event:session.status#properties.status"]),
        ("dispose", ["probe:opencode/dispose#fired"]),
        ("tool_execute", ['ts:@opencode-ai/plugin#Hooks["tool.execute.before"]']),
        ("beta", []),
        ("next", []),
        ("dev-2026-11-30", []),
        ("opencode-ai", []),
        ("status-fix", []),
        ("windows", []),
        ("", []),
    ],
)
def test_a_tag_touches_by_its_words(tag: str, touched: list[str]) -> None:
    assert list(touching(tag, RELIED)) == sorted(touched)


def test_words_of_any_spelling() -> None:
    assert words("TUIPluginApi.attention") == {"tui", "plugin", "attention"}
    assert words("v2-x-12-ab") == {"v2"}


def test_early_is_what_leads_or_is_a_prerelease() -> None:
    def row(name: str, after: str, before: str = "", change: str = "added") -> TagRow:
        return TagRow("p", name, before, after, change)

    tags = [
        row("latest", "1.5.0", "1.4.0", "moved-forward"),
        row("beta", "1.5.0-beta.1", "1.5.0-beta.1", "same"),
        row("tui", "0.0.0-tui-20261130"),
        row("canary", "1.6.0"),
        row("v1-lts", "1.2.3"),
        row("old", "not a version"),
        row("gone", "", "2.0.0-rc.1", "removed"),
    ]
    rows = news(tags, "latest", RELIED)
    assert [(each.tag, each.change) for each in rows] == [
        ("tui", "added"), ("canary", "added"), ("gone", "removed"), ("beta", "same"),
    ]  # fmt: skip
    assert rows[0].touches == (RELIED[0],) and rows[2].version == ""
    assert [each.tag for each in news(tags, "canary", ())] == ["gone", "tui", "beta"], "latest is never early"


NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("looked_at", "hours", "late"),
    [
        ("2026-11-30T12:00:00Z", 24, False),
        ("2026-11-29T12:00:00Z", 24, False),
        ("2026-11-29T11:59:59Z", 24, True),
        ("2026-11-01T00:00:00Z", None, False),
        ("2026-11-01T00:00:00", 24, True),
        ("", 24, False),
        ("yesterday", 24, False),
    ],
)
def test_a_look_is_overdue_after_twice_the_schedule(looked_at: str, hours: int | None, late: bool) -> None:
    change = overdue("opencode", looked_at, NOW, hours)
    assert (change is not None) is late
    if change:
        assert (change.address, change.kind) == ("watchlist:schedule#opencode", "stale")
