"""floor at the command line: what is refused before anything is looked at."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from driftwatch.cli import main

WATCHLIST = """\
version: 1
project: {name: ours, role: implementer}
registry: http://127.0.0.1:9/
upstreams:
  - id: acme
    packages: ["@acme/plugin"]
    relies_on:
      - {address: 'manifest:@acme/plugin#engines.node', at_least: 20.0.0, why: we need it}
      - {address: 'probe:opencode/dispose#fired', value: true}
"""


def call(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["floor", *argv], out, err), out.getvalue(), err.getvalue()


def test_help_names_everything() -> None:
    code, out, _ = call("--help")
    assert code == 0
    for word in ("[ADDRESS]", "--since", "--prereleases", "--looks", "--scan", "--no-probes", "--format", "11"):
        assert word in out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--format", "xml"], "xml"),
        (["--looks", "0"], "--looks"),
        (["--since", "1.x"], "--since '1.x' is not a version"),
        (["nonsense"], "has no kind"),
        (["manifest:@acme/plugn#engines.node"], "no upstream of the watchlist has manifest:@acme/plugn"),
        (["--upstream", "acne"], "did you mean 'acme'"),
    ],
)
def test_usage_errors_are_2_and_say_what_would_be_right(tmp_path: Path, argv: list[str], said: str) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(WATCHLIST)
    code, out, err = call(*argv, "--watchlist", str(path), "--cache", str(tmp_path / "cache"))
    assert (code, out) == (2, "") and said in err


def test_offline_without_a_cache_is_unknown_never_a_floor(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(WATCHLIST)
    code, out, _ = call("--offline", "--watchlist", str(path), "--cache", str(tmp_path / "cache"))
    assert code == 11 and out.startswith("acme: no minimum could be found\n")
    assert "manifest:@acme/plugin#engines.node (at least 20.0.0)  unknown        -" in out
    assert "is not in the cache" in out and "no `host:` is named" in out
