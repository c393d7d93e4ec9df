"""Hosts of the user's own, from the command line and from a watchlist, beside each other and beside published ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from driftwatch.config.model import Host, OwnHost
from driftwatch.errors import UsageError
from driftwatch.model import ProbeRow
from driftwatch.pipeline import hosts, probing, specs
from driftwatch.pipeline.diff import diff
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from tests.support import fake_host, fake_host2

HOST = Host(driver="opencode")


@pytest.fixture
def world(tmp_path: Path, cache: Path) -> World:
    return World(Settings(cache=cache, offline=True), tmp_path)


def preview(folder: Path, fault: str = "") -> Path:
    """A launch file of a 2.x host."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "2.0-preview.yaml"
    path.write_text(json.dumps({"command": fake_host2.words(fault), "directory": "."}))
    return path


def probed(world: World, ids: tuple[str, ...], owns: Sequence[OwnHost]) -> list[ProbeRow]:
    made = probing.probe(HOST, probing.Request((), ids, tuple(owns), confirm=False), world)
    return list(made.cells)


@pytest.mark.slow
def test_hosts_of_both_lines_beside_each_other(tmp_path: Path, world: World) -> None:
    owns = [
        OwnHost(executable=str(fake_host.make(tmp_path / "bin"))),
        hosts.named(str(preview(tmp_path / "up")), tmp_path),
        OwnHost(executable=str(fake_host2.make(tmp_path / "bin"))),
    ]
    rows = probed(world, ("opencode/load", "opencode/v2-load", "opencode/config-once"), owns)
    told = {(row.id, row.version): (row.outcome, row.reason) for row in rows}
    assert {version for _, version in told} == {fake_host.VERSION, "local", "local (fake2-host)"}
    for version in ("local", "local (fake2-host)"):
        assert told["opencode/load", version] == ("holds", "")
        assert told["opencode/v2-load", version] == ("holds", "")
        outcome, reason = told["opencode/config-once", version]
        assert (outcome, reason[:22]) == ("absent", "this host is of line 2")
    outcome, reason = told["opencode/v2-load", fake_host.VERSION]
    assert (outcome, reason) == ("absent", "this host has no V2 loader (GET /api/location)")


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["dies", "wrong-password"])
def test_where_no_host_comes_up_the_probes_are_unverified(tmp_path: Path, world: World, fault: str) -> None:
    own = hosts.named(str(preview(tmp_path / "up", fault)), tmp_path)
    rows = probed(world, ("opencode/v2-*",), [own])
    assert {row.outcome for row in rows} == {"unverified"}
    assert all("no database" in row.reason or "refuses the password" in row.reason for row in rows)
    assert len(rows) > 20


@pytest.mark.parametrize("ids", [("opencode/load",), ("opencode/v2-load",)])
def test_a_host_that_is_not_there_is_told_and_named(tmp_path: Path, world: World, ids: tuple[str, ...]) -> None:
    world.__dict__["registry"] = None  # nobody asks it about a host that is not published
    owns = [OwnHost(executable=str(tmp_path / "nothing")), OwnHost(command=("no-such-program-anywhere",))]
    rows = probed(world, ids, owns)
    assert {(row.version, row.outcome) for row in rows} >= {
        ("(nothing)", "unverified"),
        ("(no-such-program-anywhere)", "unverified"),
    }
    assert any("is not a file" in row.reason for row in rows)


@pytest.mark.slow
def test_a_diff_of_hosts_of_ones_own_names_no_path(tmp_path: Path, world: World) -> None:
    old = specs.parse(f"host:opencode@{fake_host2.make(tmp_path / 'bin', 'open')}")
    new = specs.parse(f"host:opencode@{preview(tmp_path / 'up')}")
    report = diff(old, new, specs.Options(probes=("opencode/v2-load",)), "consumer", world, "breaking")
    [upstream] = report.upstreams
    assert (upstream.before.version, upstream.after.version) == ("local", "local")
    assert {gap.address for gap in upstream.gaps} == {"config:**"}, "one part that cannot be seen hides no other"
    assert [row.id for row in upstream.probes] == ["opencode/load", "opencode/v2-load"] * 2
    from driftwatch.render import render

    for form in ("json", "md", "html", "text"):
        assert str(tmp_path) not in render(report, form)


@pytest.mark.slow
@pytest.mark.parametrize(("expires", "runs"), [("2099-01-01", 1), ("2020-01-01", 2)])
def test_an_expectation_past_its_day_spares_no_second_try(tmp_path: Path, world: World, expires: str, runs: int) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "probe.yaml").write_text(
        "id: mine/never\nhost: opencode\ntitle: t\nabout: a\nloads: ''\nsteps: []\nobserve: {fired: count(marks.never) > `0`}\n"
        "expect: {fired: true}\n"
        f"expected: [{{versions: '*', reason: nothing calls it, expires: {expires}}}]\n"
    )
    rows = probed(world, ("./mine",), [OwnHost(executable=str(fake_host.make(tmp_path / "bin", version="1.2.3")))])
    [row] = [row for row in rows if row.id == "mine/never"]
    assert (row.outcome, row.runs) == ("broken", runs)


@pytest.mark.parametrize("named", ["./mine", "../there/mine", "{here}/mine"])
def test_a_probe_of_ones_own_is_named_by_any_path(tmp_path: Path, cache: Path, named: str) -> None:
    here = tmp_path / "there"
    (here / "mine").mkdir(parents=True)
    (here / "mine" / "probe.yaml").write_text("title: t\nabout: a\nsteps: []\nobserve: {fired: marks}\nexpect: {fired: {}}\n")
    found = probing._probes(HOST, [named.format(here=here)], World(Settings(cache=cache, offline=True), here))
    assert [probe.id for probe in found] == ["opencode/mine"]


def test_a_command_line_is_split_and_given_to_no_shell(tmp_path: Path) -> None:
    own = hosts.command("bun run 'a b' ; rm -rf x", "", ("LANG",))
    assert own.command == ("bun", "run", "a b", ";", "rm", "-rf", "x")
    assert (own.directory, own.environment) == (".", ("LANG",))
    with pytest.raises(UsageError, match="cannot be read: No closing quotation"):
        hosts.command("bun 'run", "")


@pytest.mark.parametrize(
    "text, message",
    [
        ("command: [x", "is no YAML"),
        ("- 1", "valid dictionary"),
        ("comand: [x]", "comand: Extra inputs"),
        ("directory: x", "names no host"),
        ("{executable: a, command: [b]}", "names both"),
        ("!!python/object/apply:os.system ['x']", "is no YAML"),
    ],
)
def test_a_launch_file_that_is_none_says_why(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "launch.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        hosts.named(str(path), tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        hosts.named("nowhere.yaml", tmp_path)


def test_a_watchlist_names_one_for_each_side() -> None:
    own = OwnHost(executable="./host")
    assert Host(driver="opencode").own("new") is None
    assert Host(driver="opencode", new=own).own("new") == own
    assert Host(driver="opencode", new=own).own("accepted") is None
    both = Host(driver="opencode", command=("a",))
    assert both.own("accepted") is both.own("new") is both
