"""A watch that stopped looks like an all clear: the last good look must not be older than the schedule allows. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from driftwatch.model import Address, Change

GRACE = 2  # times the schedule: a run that was late, or one that was dropped, is no alarm


def overdue(upstream: str, looked_at: str, now: datetime, hours: int | None) -> Change | None:
    """What there is to say when the last good look (ISO 8601; "" when there was none) was too long before ``now``."""
    if hours is None or not looked_at:
        return None
    try:
        last = datetime.fromisoformat(looked_at)
    except ValueError:
        return None
    last = last if last.tzinfo else last.replace(tzinfo=UTC)
    if now - last <= timedelta(hours=GRACE * hours):
        return None
    return Change(Address.of("watchlist", "schedule", upstream), "stale", before=looked_at, args={"hours": hours})
