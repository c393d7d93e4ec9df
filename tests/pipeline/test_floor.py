"""floor through the command line: a registry and hosts on loopback, some of which do not do what they should."""

from __future__ import annotations

import json
from typing import Any

import pytest

from driftwatch.judge.floor import usual
from driftwatch.model import Address, Fact, Gap, Observed, ProbeRow
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.pipeline import behaviour, contract
from tests.support.fault_registry import Reply
from tests.support.scene import HOST, PLUGIN, WATCHLIST, Scene

NODE = f"manifest:{PLUGIN}#engines.node"
FIRED = "probe:bye#fired"
BYE = f"ts:{PLUGIN}#Hooks.bye"


def floors(scene: Scene, *argv: str) -> tuple[int, Any]:
    answer = scene.run("floor", "--format", "json", *argv)
    assert answer.out, answer.err
    [upstream] = answer.report["upstreams"]
    return answer.code, upstream


def row(upstream: Any, address: str) -> Any:
    return next(row for row in upstream["floors"] if row["address"] == address)


def only_hosts(scene: Scene) -> None:
    for package in (PLUGIN, HOST):
        for version in ("1.0.0", "1.1.0"):
            del scene.registry.packages[package]["versions"][version], scene.tarballs[package][version]


def hosts(monkeypatch: pytest.MonkeyPatch, fires: dict[str, bool | None]) -> list[str]:
    """Stand-ins for booted hosts: whether the probe sees dispose fire, by version (None: the host did not start). Gives the
    versions that were asked, in order."""
    asked: list[str] = []

    def on(host: Any, probes: Any, version: str, world: Any, *, thrifty: bool = False) -> tuple[ProbeRow, ...]:
        assert thrifty, "a search asks many versions: one boot for each"
        asked.append(version)
        fired = fires[version]
        outcome: Any = "unverified" if fired is None else "holds" if fired else "broken"
        facts: Any = {} if fired is None else {"fired": fired}
        return tuple(ProbeRow(probe.id, version, outcome, facts, "the host exited with 3") for probe in probes)

    monkeypatch.setattr(behaviour, "on", on)
    return asked


def published(scene: Scene, *versions: str) -> None:
    """Exactly these versions of the package and of its host, which nobody boots."""
    only_hosts(scene)
    for version in versions:
        for name in (PLUGIN, HOST):
            scene.package(name, version, {"package.json": b"{}"})


@pytest.mark.slow
def test_manifest_and_host_floors_with_their_evidence(scene: Scene) -> None:
    scene.publish("1.0.0", fault="forgets")
    scene.publish("1.3.4")
    code, upstream = floors(scene)
    assert code == 0 and upstream["certain"]
    assert row(upstream, FIRED)["declared"] is None and row(upstream, FIRED)["why"] == "our timers leak"
    fired = row(upstream, FIRED)["behaviour"]
    assert (fired["status"], fired["version"], fired["below"]) == ("found", "1.1.0", "1.0.0")
    assert fired["package"] == HOST and fired["certain"]
    assert {look["version"]: look["holds"] for look in fired["looks"]} == {"1.0.0": False, "1.1.0": True, "1.3.4": True}
    node = row(upstream, NODE)
    assert (node["declared"]["status"], node["declared"]["version"]) == ("oldest", "1.0.0")
    assert node["declared"]["exhaustive"] and node["behaviour"] is None
    assert (upstream["minimum"], upstream["decided_by"]) == ("1.1.0", [FIRED])
    assert upstream["looked"] == {f"manifests of {PLUGIN}": 3, f"hosts ({HOST})": 3}
    asked = len(scene.registry.requests)
    assert floors(scene, "--offline") == (code, upstream), "the same hosts are asked again, and the cache knows their answers"
    assert not scene.registry.requests[asked:]


def test_hosts_are_looked_at_by_halving(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"1.2.{patch}" for patch in range(9)]
    asked = hosts(monkeypatch, {name: name >= "1.2.6" for name in names})
    published(scene, *names)
    code, upstream = floors(scene, FIRED)
    fired = row(upstream, FIRED)["behaviour"]
    assert code == 0 and (fired["version"], fired["below"]) == ("1.2.6", "1.2.5")
    assert sorted(asked) == [look["version"] for look in fired["looks"]]
    assert len(asked) <= usual(len(names)) == 5
    floors(scene, FIRED, "--scan")
    assert sorted(asked[-9:]) == names


def test_versions_that_were_never_published_are_named(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.15.4": False, "1.15.13": True})
    published(scene, "1.15.4", "1.15.13")
    _, upstream = floors(scene, FIRED)
    fired = row(upstream, FIRED)["behaviour"]
    assert fired["unpublished"] == [f"1.15.{patch}" for patch in range(5, 13)]
    text = scene.run("floor", FIRED).out
    assert "never published there: 1.15.5 to 1.15.12; the true floor lies in (1.15.4, 1.15.13]" in text


def test_git_tags_and_sibling_packages_tell_of_versions_numbers_cannot(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.1.9": False, "1.3.0": True})
    published(scene, "1.1.9", "1.3.0")
    scene.repository.commit({"src/index.ts": "x\n"}, "v1.2.5")
    scene.package(PLUGIN, "1.2.9", {"package.json": b"{}"})
    _, upstream = floors(scene, FIRED)
    assert row(upstream, FIRED)["behaviour"]["unpublished"] == ["1.2.5", "1.2.9"]
    scene.watchlist(WATCHLIST.replace("REPOSITORY", str(scene.root / "nowhere")))
    answer = scene.run("floor", FIRED, "--format", "json")
    assert answer.report["upstreams"][0]["floors"][0]["behaviour"]["unpublished"] == ["1.2.9"]
    assert "git tags are left out" in answer.err


def test_prereleases_count_only_when_asked_for_and_order_is_semver(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.2.10": True, "1.2.9": False, "1.2.10-beta.1": True})
    published(scene, "1.2.10", "1.2.9", "1.2.10-beta.1")
    assert row(floors(scene, FIRED)[1], FIRED)["behaviour"]["version"] == "1.2.10"
    fired = row(floors(scene, FIRED, "--prereleases")[1], FIRED)["behaviour"]
    assert (fired["version"], fired["below"]) == ("1.2.10-beta.1", "1.2.9")


def test_since_leaves_older_versions_alone(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = hosts(monkeypatch, {"1.0.0": False, "1.1.0": True})
    _, upstream = floors(scene, FIRED, "--since", "1.1.0")
    fired = row(upstream, FIRED)["behaviour"]
    assert (fired["status"], fired["version"], asked) == ("oldest", "1.1.0", ["1.1.0"])
    assert scene.run("floor", "--since", "yesterday").code == 2


def test_a_host_that_cannot_be_asked_is_worked_around_and_exit_is_11(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.2.0": False, "1.2.1": False, "1.2.2": None, "1.2.3": True, "1.2.4": True})
    published(scene, *(f"1.2.{patch}" for patch in range(5)))
    code, upstream = floors(scene, FIRED)
    fired = row(upstream, FIRED)["behaviour"]
    assert code == 11 and not upstream["certain"]
    assert (fired["version"], fired["below"]) == ("1.2.3", "1.2.1")
    assert fired["unseen"] == [{"version": "1.2.2", "holds": None, "reason": "the host exited with 3"}]
    answer = scene.run("floor", FIRED)
    assert "1.2.3?" in answer.out and "as far as could be told" in answer.out


def test_what_no_longer_holds_has_no_floor(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.0.0": True, "1.1.0": False})
    code, upstream = floors(scene, FIRED)
    assert code == 11
    fired = row(upstream, FIRED)["behaviour"]
    assert (fired["status"], fired["intervals"], upstream["minimum"]) == ("lost", [["1.0.0", "1.0.0"]], None)
    assert "no minimum could be found" in scene.run("floor", FIRED).out


def test_a_fact_that_comes_and_goes_is_scanned(scene: Scene) -> None:
    only_hosts(scene)
    for patch in range(8):
        scene.publish(f"1.2.{patch}", node=">=22" if patch in (1, 2, 5, 6, 7) else ">=20")
    scene.watchlist(WATCHLIST.replace(f"- manifest:{PLUGIN}#engines.node", f"- {{address: {NODE}, at_least: 22.0.0}}"))
    code, upstream = floors(scene, NODE)
    declared = row(upstream, NODE)["declared"]
    assert code == 0 and (declared["version"], declared["below"]) == ("1.2.5", "1.2.4")
    assert declared["intervals"] == [["1.2.1", "1.2.2"], ["1.2.5", "1.2.7"]]
    assert row(upstream, NODE)["wanted"] == "at least 22.0.0"


def test_our_own_manifest_says_what_we_need(scene: Scene) -> None:
    scene.publish("1.0.0", node=">=18")
    (scene.root / "package.json").write_text(json.dumps({"engines": {"node": ">=20"}}))
    declared = row(floors(scene, NODE)[1], NODE)["declared"]
    assert (declared["version"], declared["below"]) == ("1.1.0", "1.0.0")
    (scene.root / "package.json").write_text("{")
    assert "package.json" in scene.run("floor").err


def test_no_probes_leaves_hosts_alone(scene: Scene) -> None:
    code, upstream = floors(scene, "--no-probes")
    assert code == 11 and row(upstream, FIRED)["behaviour"]["status"] == "unknown"
    assert row(upstream, NODE)["declared"]["version"] == "1.0.0"
    assert not (scene.root / "cache" / "hosts").exists()


def test_a_registry_that_is_down_is_unknown_with_its_reason(scene: Scene) -> None:
    scene.registry.always(f"/{PLUGIN}", Reply(503, b"down", {"Retry-After": "0"}))
    code, upstream = floors(scene, NODE)
    declared = row(upstream, NODE)["declared"]
    assert code == 11 and declared["status"] == "unknown" and "503" in declared["reason"]


def test_addresses_without_a_floor_and_addresses_of_nobody(scene: Scene) -> None:
    scene.watchlist(WATCHLIST.replace("    relies_on:\n", "    relies_on:\n      - file:src/index.ts\n"))
    code, upstream = floors(scene, "--no-probes", "file:src/index.ts", NODE)
    assert code == 0 and "have no floor" in row(upstream, "file:src/index.ts")["reason"]
    for wrong in ("manifest:@other/package#engines.node", "not an address", "tsx:@acme/plugin#x"):
        assert scene.run("floor", wrong).code == 2, wrong


def test_an_address_of_the_command_line_need_not_be_written_down(scene: Scene) -> None:
    address = f'manifest:{PLUGIN}#exports["."]'
    code, upstream = floors(scene, address)
    assert code == 0 and [each["address"] for each in upstream["floors"]] == [address]


def test_nothing_relied_on_is_a_usage_error(scene: Scene) -> None:
    text = WATCHLIST[: WATCHLIST.index("    probes:")]
    scene.watchlist(text)
    answer = scene.run("floor")
    assert answer.code == 2 and "relies_on" in answer.err


def test_listed_probes_stand_in_where_nothing_is_written(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.0.0": True, "1.1.0": True})
    scene.watchlist(WATCHLIST[: WATCHLIST.index("    relies_on:")])
    code, upstream = floors(scene)
    assert code == 0 and {each["address"] for each in upstream["floors"]} == {"probe:opencode/load", "probe:bye"}


@pytest.fixture
def typed(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A stand-in for the compiler: Hooks.bye is declared from 1.1.0 on; 1.1.1 cannot be read. Gives the versions read."""
    read: list[str] = []

    def observe(self: Declarations, wanted: list[Wanted]) -> list[Observed]:
        read.extend(one.version for one in wanted)
        return [told(one.version) for one in wanted]

    def told(version: str) -> Observed:
        if version == "1.1.1":
            return Observed(gaps=(Gap(f"ts:{PLUGIN}", "an import does not resolve"),))
        return Observed((Fact(Address(BYE), {"o": 1}),) if version != "1.0.0" else ())

    monkeypatch.setattr(Declarations, "observe", observe)
    probe = scene.root / "probes" / "bye" / "probe.yaml"
    probe.write_text(probe.read_text() + f"declares:\n  fired: {BYE}\n")
    return read


@pytest.mark.parametrize("address", [BYE, FIRED, "probe:bye"])
def test_a_declaration_and_its_probe_are_one_row_with_two_floors(
    scene: Scene, typed: list[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    hosts(monkeypatch, {"1.0.0": False, "1.1.0": False, "1.1.4": True})
    published(scene, "1.0.0", "1.1.0", "1.1.4")
    scene.watchlist(WATCHLIST.replace(f"- address: {FIRED}", f"- address: {address}"))
    code, upstream = floors(scene, address)
    [only] = upstream["floors"]
    assert code == 0 and only["address"] == address
    assert (only["declared"]["address"], only["declared"]["version"]) == (BYE, "1.1.0")
    assert (only["behaviour"]["version"], only["behaviour"]["below"]) == ("1.1.4", "1.1.0")
    assert upstream["minimum"] == "1.1.4"


def test_both_relied_on_stay_one_row(scene: Scene, typed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.0.0": False, "1.1.0": True})
    scene.watchlist(WATCHLIST.replace("    relies_on:\n", f"    relies_on:\n      - {{address: '{BYE}', why: we call it}}\n"))
    _, upstream = floors(scene)
    assert [each["address"] for each in upstream["floors"]] == [BYE, NODE]
    assert row(upstream, BYE)["why"] == "we call it; our timers leak"
    assert [each["address"] for each in floors(scene, FIRED, BYE)[1]["floors"]] == [FIRED]


def test_declarations_that_cannot_be_read_are_named(scene: Scene, typed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, dict.fromkeys(("1.0.0", "1.1.1", "1.1.2"), True))
    published(scene, "1.0.0", "1.1.1", "1.1.2")
    code, upstream = floors(scene, BYE)
    declared = row(upstream, BYE)["declared"]
    assert code == 11 and (declared["version"], declared["below"]) == ("1.1.2", "1.0.0")
    assert [look["version"] for look in declared["unseen"]] == ["1.1.1"]
    assert set(typed) <= {"1.0.0", "1.1.1", "1.1.2"}


def test_markdown_and_text_say_the_same(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.0.0": False, "1.1.0": True})
    text, marked = scene.run("floor").out, scene.run("floor", "--format", "md").out
    assert text.startswith("acme: at least 1.1.0\n") and marked.startswith("## acme: at least 1.1.0\n")
    assert f"decided by {FIRED}" in text and f"Decided by `{FIRED}`" in marked
    assert f"| `{FIRED}` | — | 1.1.0 | our timers leak |" in marked


def test_progress_is_talk(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(monkeypatch, {"1.0.0": True, "1.1.0": True})
    answer = scene.run("floor", FIRED)
    assert "hosts: 2 published versions" in answer.err and f"{HOST} 1.1.0: 1 of 1 hold" in answer.err
    assert "published versions" not in scene.run("floor", FIRED, "--quiet").err


def test_what_the_host_itself_says_is_searched_along_its_versions(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The API document it serves and the call sites in its executable; a hook is never counted alone."""
    counted: list[list[str]] = []

    def api(self: contract.Served) -> Observed:
        there = self._side.version == "1.1.0"
        return Observed((Fact(Address("http:POST /session"), {}),) if there else ())

    def calls(self: contract.Served, hooks: list[str]) -> Observed:
        counted.append(hooks)
        return Observed((Fact(Address("call:chat.bye"), 1 if self._side.version == "1.0.0" else 0),))

    monkeypatch.setattr(contract.Served, "api", api)
    monkeypatch.setattr(contract.Served, "calls", calls)
    monkeypatch.setattr(Declarations, "observe", lambda self, wanted: [Observed()] * len(wanted))
    code, upstream = floors(scene, "http:POST /session", "call:chat.bye")
    session, bye = (row(upstream, address)["behaviour"] for address in ("http:POST /session", "call:chat.bye"))
    assert (session["version"], session["below"], session["package"]) == ("1.1.0", "1.0.0", HOST)
    assert (bye["status"], bye["intervals"]) == ("lost", [["1.0.0", "1.0.0"]])
    assert code == 11 and counted == [["chat.bye"]] * 2
    assert upstream["looked"] == {f"hosts ({HOST})": 2}
