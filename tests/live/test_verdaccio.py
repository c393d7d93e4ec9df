"""A real registry whose dist-tags are ours to move: each thing that happens there is seen as what it is."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main
from tests.support.verdaccio import Verdaccio, verdaccio

pytestmark = pytest.mark.live
NAME = "moving"
WATCHLIST = """\
version: 1
project: {name: ours, role: consumer}
registry: URL
upstreams:
  - id: moving
    packages: [moving]
    accepted: 1.0.0
    relies_on: ["manifest:moving#engines.node"]
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Iterator[Verdaccio]:
    with verdaccio(tmp_path_factory.mktemp("registry"), kept) as running:
        yield running


class Ours:
    """A project that watches the package."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        (folder / "watchlist.yaml").write_text(WATCHLIST.replace("URL", url))

    def ask(self, *argv: str) -> tuple[int, Any]:
        out, err = io.StringIO(), io.StringIO()
        where = ["--watchlist", str(self.folder / "watchlist.yaml"), "--cache", str(self.folder / "cache")]
        code = main([*argv, *where, "--quiet"], out, err)
        assert code in (0, 10), err.getvalue()
        return code, json.loads(out.getvalue()) if "json" in argv else None

    def poll(self) -> tuple[int, dict[str, str], set[str]]:
        """The exit code, what became of each tag, and the rules of the findings."""
        code, report = self.ask("poll", "--format", "json")
        [upstream] = report["upstreams"]
        return code, {tag["name"]: tag["change"] for tag in upstream["tags"]}, {one["rule"] for one in upstream["findings"]}


def test_what_happens_to_tags_and_versions(registry: Verdaccio, tmp_path: Path) -> None:
    registry.publish(NAME, "1.0.0", engines={"node": ">=20"})
    ours = Ours(tmp_path, registry.url)
    assert ours.ask("run", "--format", "json")[1]["outcome"] == "compatible"
    ours.ask("accept")
    assert ours.poll() == (0, {"latest": "same"}, set())

    registry.publish(NAME, "1.1.0", "beta", engines={"node": ">=22"})
    code, tags, rules = ours.poll()
    assert (code, tags) == (0, {"latest": "same", "beta": "added"}) and {"tag-added", "version-published"} <= rules

    registry.tag(NAME, "latest", "1.1.0")
    code, tags, rules = ours.poll()
    assert tags == {"latest": "moved-forward", "beta": "added"} and "tag-moved-forward" in rules
    code, report = ours.ask("run", "--format", "json")
    [upstream] = report["upstreams"]
    assert (upstream["from"]["version"], upstream["to"]["version"]) == ("1.0.0", "1.1.0")
    assert "engines-raised" in {one["rule"] for one in upstream["findings"]}

    ours.ask("accept", "1.1.0", "--because", "we are on node 22")
    assert ours.poll()[1] == {"latest": "same", "beta": "same"}
    registry.tag(NAME, "latest", "1.0.0")
    code, tags, rules = ours.poll()
    assert tags == {"latest": "moved-backward", "beta": "same"} and "tag-moved-backward" in rules

    registry.untag(NAME, "beta")
    code, tags, rules = ours.poll()
    assert tags == {"latest": "moved-backward", "beta": "removed"} and "tag-removed" in rules

    registry.deprecate(NAME, "1.1.0", "use 1.2")
    code, tags, rules = ours.poll()
    assert "version-deprecated" in rules

    registry.publish(NAME, "1.2.0", engines={"node": ">=22"})
    registry.unpublish(NAME, "1.1.0")  # the one we accepted
    code, tags, rules = ours.poll()
    assert tags["latest"] == "moved-forward" and "version-withdrawn" in rules
    code, report = ours.ask("run", "--format", "json", "--fail-on", "risky")
    assert code == 10 and "version-withdrawn" in {one["rule"] for one in report["upstreams"][0]["findings"]}
