"""The scan of the source in a run: what is asked of it, and when it is not asked at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from driftwatch.config.model import Watchlist
from driftwatch.model import Address, Fact, Gap, Observed
from driftwatch.observe.facts import usage as observer
from driftwatch.observe.facts.declarations import Wanted
from driftwatch.pipeline import usage
from driftwatch.pipeline.contract import wanted
from driftwatch.pipeline.examine import terms_for
from driftwatch.pipeline.settings import Settings

FOUND = Observed((Fact(Address("use:src/a.ts#event:x.y"), {"kinds": ["event"], "lines": ["1:1"]}),))


class Asked:
    """Stands in for the observer and remembers what it was asked."""

    calls: ClassVar[list[tuple[Path, tuple[str, ...], list[Wanted]]]] = []

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def observe(self, project: Path, globs: Sequence[str], packages: Sequence[Wanted]) -> Observed:
        Asked.calls.append((project, tuple(globs), list(packages)))
        return FOUND


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> type[Asked]:
    Asked.calls = []
    monkeypatch.setattr(observer, "Usage", Asked)
    return Asked


def watchlist(root: Path, *, source: tuple[str, ...] = (), host: bool = False, **more: Any) -> Watchlist:
    upstream = {"id": "host", "packages": ["p", "q"], **({"host": {"driver": "opencode"}} if host else {}), **more}
    made = Watchlist.model_validate({"version": 1, "project": {"name": "mine", "source": source}, "upstreams": [upstream]})
    return made.at(root / "watchlist.yaml")


def look(listed: Watchlist, versions: tuple[str, ...] = ("1.0.0",)) -> Observed:
    side: Any = SimpleNamespace(packages={"p": SimpleNamespace(version="1.0.0"), "q": SimpleNamespace(version="")})
    known = {version: SimpleNamespace(integrity="sha512-x") for version in versions}
    polled: Any = SimpleNamespace(packuments={"p": SimpleNamespace(versions=known), "q": SimpleNamespace(versions=known)})
    world: Any = SimpleNamespace(registry=None, settings=Settings(cache=listed.root / "cache"))
    return usage.look(listed, listed.upstreams[0], side, polled, world)


def test_the_source_is_looked_at_with_the_accepted_versions(tmp_path: Path, asked: type[Asked]) -> None:
    (tmp_path / "index.ts").write_text("export {}", "utf-8")
    assert look(watchlist(tmp_path)) == FOUND
    assert asked.calls == [(tmp_path, (), [Wanted("p", "1.0.0", "sha512-x")])]


def test_a_project_without_source_costs_nothing(tmp_path: Path, asked: type[Asked]) -> None:
    assert look(watchlist(tmp_path)) == Observed() and asked.calls == []


def test_source_that_is_named_and_not_there_is_asked_for(tmp_path: Path, asked: type[Asked]) -> None:
    look(watchlist(tmp_path, source=("lib",)))
    assert [call[1] for call in asked.calls] == [("lib",)], "the observer says that nothing is meant"


def test_no_version_to_look_with_is_the_sides_to_say(tmp_path: Path, asked: type[Asked]) -> None:
    (tmp_path / "index.ts").write_text("export {}", "utf-8")
    assert look(watchlist(tmp_path), versions=()) == Observed() and asked.calls == []


@pytest.mark.parametrize("host", [True, False])
def test_the_configuration_is_read_where_there_is_a_host(tmp_path: Path, host: bool) -> None:
    (tmp_path / "opencode.json").write_text('{"plugin": []}', "utf-8")
    found = {fact.address for fact in look(watchlist(tmp_path, host=host)).facts}
    assert found == ({"use:opencode.json#config:plugin"} if host else set())


def test_what_is_used_is_observed_though_nobody_wrote_it_down(tmp_path: Path) -> None:
    from dataclasses import replace
    from datetime import date

    listed = watchlist(tmp_path, relies_on=["tag:p#latest"])
    terms = terms_for(listed.upstreams[0], listed, date(2026, 12, 1))
    assert not wanted(terms, ("event",))
    assert wanted(replace(terms, used=usage.kinds(FOUND)), ("event",))
    assert usage.kinds(Observed(gaps=(Gap("use:**", "failed"),))) == frozenset()


def test_signals_and_named_source_reach_the_judge(tmp_path: Path) -> None:
    from datetime import date

    signals = [{"address": "event:session.idle", "replacement": "session.status", "since": "1.15.0"}]
    listed = watchlist(tmp_path, source=("src",), deprecations=signals)
    terms = terms_for(listed.upstreams[0], listed, date(2026, 12, 1))
    assert terms.source
    assert [(each.address, each.state, each.replacement) for each in terms.signals] == [
        ("event:session.idle", "deprecated", "session.status")
    ]
