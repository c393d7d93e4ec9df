"""One look at the accepted version, and what it says about a draft: what is declared there, what is not, what to lock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from driftwatch import addresses
from driftwatch.config.model import Watchlist
from driftwatch.errors import DriftwatchError
from driftwatch.judge.reliances import only_missing
from driftwatch.model import Address, UpstreamReport
from driftwatch.pipeline import accept
from driftwatch.pipeline.examine import Examined
from driftwatch.pipeline.init.project import Project
from driftwatch.pipeline.settings import Settings
from driftwatch.render.init import Draft, Entry, render
from driftwatch.store.lock import Lock

WHY = "written by init"
NOWHERE = "init.yaml"  # no lock lies beside a watchlist of this name, so that the draft is looked at as if it were new


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look gave; ``refused`` says why there is nothing to lock."""

    examined: tuple[Examined, ...] = ()
    lock: Lock | None = None
    news: tuple[str, ...] = ()
    refused: str = ""

    @property
    def report(self) -> UpstreamReport | None:
        return self.examined[0].report if self.examined else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """What of the repository could not be looked at, one line a reason: the lock lacks its commit and its files. No host
        was to be booted, so what only one can tell is not among it."""
        reasons: dict[str, list[str]] = {}
        for gap in (gap for item in self.examined for gap in item.new.gaps if Address(gap.address).kind in ("commit", "file")):
            reasons.setdefault(gap.reason, []).append(gap.address)
        return tuple(f"{', '.join(dict.fromkeys(addresses))}: {reason}" for reason, addresses in reasons.items())

    def locked(self, watchlist: Watchlist, settings: Settings) -> Lock | None:
        """The same look, locked for a watchlist that relies on other parts of it."""
        if self.lock is None:
            return None
        return Lock({item.report.id: accept.locked(item, watchlist, settings, None) for item in self.examined})


def in_memory(draft: Draft, root: Path) -> Watchlist:
    """The watchlist the draft's text will be read as."""
    import yaml

    return Watchlist.model_validate(yaml.safe_load(render(draft))).at(root / NOWHERE)


def look(watchlist: Watchlist, settings: Settings) -> Looked:
    """Everything but hosts, at the version the watchlist accepts. Nothing is raised for what cannot be looked at."""
    version = watchlist.upstreams[0].accepted or ""
    try:
        lock, result = accept.propose(watchlist.at(watchlist.root / NOWHERE), settings, version, (), WHY, probes=False)
    except DriftwatchError as error:
        return Looked(refused=error.message)
    return Looked(result.examined, lock, tuple(news for item in result.examined for news in _news(item)))


def _news(item: Examined) -> list[str]:
    from driftwatch.render.messages import message

    return [message(finding) for finding in item.report.findings if finding.counts and finding.severity == "breaking"]


def settle(draft: Draft, project: Project, looked: Looked | None) -> Draft:
    """The draft without what the accepted version does not have, with the peers both sides share."""
    if looked is None or not looked.examined:
        return draft
    item = looked.examined[0]
    seen = addresses.compile(entry.address for entry in draft.entries)
    met = {pattern for fact in item.new.facts for pattern in seen(fact.address)}
    hidden = [gap.address for gap in item.new.gaps if not only_missing(gap)]

    def settled(entry: Entry) -> Entry:
        if entry.address in met:
            return entry
        if any(addresses.overlap(gap, entry.address) for gap in hidden) or Address(entry.address).kind not in ("ts", "manifest"):
            return entry
        return replace(entry, aside=f"not declared by {draft.accepted}")

    gone = {row.pattern for row in item.report.files if row.change == "missing"}
    return replace(
        draft,
        entries=(*map(settled, draft.entries), *_shared(draft, project, item)),
        watch=tuple(row for row in draft.watch if row.path not in gone),
    )


def _shared(draft: Draft, project: Project, item: Examined) -> list[Entry]:
    """Peers of the upstream's that the project depends on as well: one of them moving its floor moves ours."""
    beginning = f"manifest:{draft.packages[0]}#peerDependencies."
    peers = [str(fact.address) for fact in item.new.facts if str(fact.address).startswith(beginning)]
    return [Entry(peer, "manifest", ("package.json",)) for peer in peers if peer.removeprefix(beginning) in project.dependencies]
