"""Signals of deprecation in the watchlist."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwatch.config import load
from driftwatch.errors import ConfigError

TEXT = """\
version: 1
project: {{name: mine}}
upstreams:
  - id: host
    packages: [p]
    deprecations:
{signals}
"""


def read(tmp_path: Path, *signals: str) -> object:
    path = tmp_path / "watchlist.yaml"
    path.write_text(TEXT.format(signals="\n".join(f"      - {signal}" for signal in signals)), "utf-8")
    return load(path).upstreams[0].deprecations


def test_a_signal_with_everything_and_one_with_its_address_alone(tmp_path: Path) -> None:
    one, other = read(  # type: ignore[misc]
        tmp_path,
        "{address: 'event:session.idle', state: dead, replacement: session.status, since: 1.15.0, note: said in the changelog}",
        "{address: 'ts:@x/plugin#Hooks.auth'}",
    )
    assert (one.address, one.state, one.replacement, one.since) == ("event:session.idle", "dead", "session.status", "1.15.0")
    assert one.note == "said in the changelog"
    assert (other.state, other.replacement, other.since, other.note) == ("deprecated", "", "", "")


@pytest.mark.parametrize(
    ("signals", "said"),
    [
        (["{state: dead}"], "address"),
        (["{address: session.idle}"], "no kind"),
        (["{address: 'event:x', state: gone}"], "state"),
        (["{address: 'event:x', replaced: y}"], "replace"),
        (["{address: 'event:x'}", "{address: 'event:x', state: dead}"], "there twice"),
    ],
)
def test_what_is_wrong_is_said_at_its_line(tmp_path: Path, signals: list[str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, *signals)
    assert any(said in str(problem) and problem.line >= 7 for problem in caught.value.problems), caught.value
