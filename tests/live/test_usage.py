"""The scan of source with the real compiler and the real declarations, held line by line against what the lines say.

Every line of ``tests/data/usage`` that uses something of the upstream names it after ``//!``; every other line must be free
of uses. Three published plugins are scanned as well.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwatch.model import Fact, Observed
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.facts.usage import Usage
from driftwatch.observe.sources import archive
from driftwatch.observe.sources.npm import npmrc
from driftwatch.observe.sources.npm.registry import Registry

pytestmark = pytest.mark.live

DATA = Path(__file__).parents[1] / "data" / "usage"
VERSION = "1.14.48"
WANTED = [Wanted("@opencode-ai/plugin", VERSION), Wanted("@opencode-ai/sdk", VERSION)]


@pytest.fixture(scope="module")
def registry(kept: Path) -> Iterator[Registry]:
    asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=True)
    with Registry(npmrc.load(registry=asked.stdout.strip()), kept) as opened:
        yield opened


def scan(project: Path, registry: Registry, kept: Path) -> Observed:
    return Usage(registry, kept).observe(project, [], WANTED)


def short(address: str) -> str:
    return address.removeprefix("ts:@opencode-ai/")


def by_line(facts: tuple[Fact, ...]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for fact in facts:
        for place in fact.value["lines"]:  # type: ignore[index, call-overload, union-attr]
            line = str(place).partition(":")[0]
            found.setdefault(f"{fact.address.subject}:{line}", set()).add(short(fact.address.member))
    return found


def wanted(project: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(path for path in project.rglob("*") if path.suffix in {".js", ".ts"}):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            _, marked, names = line.partition("//! ")
            if marked:
                joined = re.sub(r"(http:[A-Z]+) ", r"\1_", names)
                found[f"{path.relative_to(project).as_posix()}:{number}"] = {
                    name.replace("_/", " /", 1) for name in joined.split()
                }
    return found


@pytest.mark.parametrize("name", ["typed", "plain", "documented", "built", "restated"])
def test_every_line_uses_what_it_says(name: str, tmp_path: Path, registry: Registry, kept: Path) -> None:
    project = tmp_path / name
    shutil.copytree(DATA / name, project)
    found, expected = by_line(scan(project, registry, kept).facts), wanted(project)
    none: set[str] = set()
    places = sorted({*found, *expected})
    wrong = {
        place: (expected.get(place, none) - found.get(place, none), found.get(place, none) - expected.get(place, none))
        for place in places
        if found.get(place) != expected.get(place)
    }
    assert not wrong, "(missed, extra)"


def test_what_could_not_be_told_is_a_gap(tmp_path: Path, registry: Registry, kept: Path) -> None:
    project = tmp_path / "gaps"
    (project / "src").mkdir(parents=True)
    (project / "src/index.js").write_text(
        "import { more } from './nowhere.js'\nconst key = process.env.KEY\n"
        "export default async () => ({ event: async () => {}, [key]: async () => {}, ...more() })\n",
        "utf-8",
    )
    found = scan(project, registry, kept)
    assert {fact.address.member for fact in found.facts} == {"ts:@opencode-ai/plugin#Hooks.event"}
    reasons = sorted(gap.reason for gap in found.gaps)
    assert {gap.address for gap in found.gaps} == {"use:src/index.js"} and len(reasons) == 3
    assert "leads nowhere" in reasons[0] and "line 3" in reasons[1] and "line 3" in reasons[2]


def test_source_that_is_no_source_is_survived(tmp_path: Path, registry: Registry, kept: Path) -> None:
    project = tmp_path / "broken"
    (project / "src").mkdir(parents=True)
    (project / "src/a.ts").write_text("export const x = {{{ ]] async => `", "utf-8")
    (project / "src/b.js").write_bytes(bytes(range(256)) * 4)
    (project / "src/c.js").write_text(
        "const a = { ...a, b: a.b }; function f(x) { return f(f(x)) } f(a); class A extends A {}\n", "utf-8"
    )
    found = scan(project, registry, kept)
    assert found == Observed()


def test_a_relative_import_does_not_lead_out_of_the_project(tmp_path: Path, registry: Registry, kept: Path) -> None:
    (tmp_path / "secret.ts").write_text("export const hooks = { event: async () => {} }\n", "utf-8")
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/index.ts").write_text("export { hooks } from '../../secret'\n", "utf-8")
    found = scan(project, registry, kept)
    assert found.facts == () and ["leads nowhere" in gap.reason for gap in found.gaps] == [True]


PUBLISHED = {
    "opencode-wakatime@1.3.9": {
        "dist/index.js:272": 'plugin#Hooks["chat.message"]',
        "dist/index.js:282": "plugin#Hooks.event",
        "dist/index.js:244": "http:GET /global/health",
        "dist/index.js:330": "event:session.idle",
        "dist/index.js:11": "event:message.part.updated",
        "dist/index.js:306": "sdk#ToolStateCompleted.metadata",
        "dist/index.js:220": "sdk#Project.worktree",
    },
    "opencode-prompt-recorder@1.9.9": {
        "dist/index.js:1": "http:POST /tui/show-toast",
        "dist/index.js:3": "plugin#PluginInput.directory",
        "dist/index.js:11": "http:GET /session/{}",
        "dist/index.js:12": "event:session.updated",
    },
    "oh-my-opencode@4.19.4": {
        "dist/index.js:171915": 'plugin#Hooks["chat.headers"]',
        "dist/index.js:177977": 'plugin#Hooks["experimental.compaction.autocontinue"]',
        "dist/index.js:134706": "plugin#Hooks.tool.background_cancel",
        "dist/index.js:134743": "http:PATCH /session/{}",
        "dist/index.js:163217": "config:formatter",
        "dist/index.js:118539": "event:session.stop",
        "dist/tui.js:81947": "plugin/tui#TuiLifecycle.onDispose",
    },
}


@pytest.mark.parametrize("spec", PUBLISHED)
def test_published_plugins(spec: str, tmp_path: Path, registry: Registry, kept: Path) -> None:
    name, _, version = spec.partition("@")
    archive.extract(registry.tarball(name, version), tmp_path / name, wanted=lambda _: True)
    found = by_line(scan(tmp_path / name, registry, kept).facts)
    for place, address in PUBLISHED[spec].items():
        assert address in found.get(place, set()), (place, address)
    assert not any("http:DELETE /auth" in each for uses in found.values() for each in uses), "a bundled client is not a call"


def test_every_declared_member_that_is_used_is_a_fact_of_the_declarations(tmp_path: Path, registry: Registry, kept: Path) -> None:
    """The two observers speak of members in the same words."""
    project = tmp_path / "typed"
    shutil.copytree(DATA / "typed", project)
    declared = {fact.address for one in Declarations(registry, kept).observe(WANTED) for fact in one.facts}
    used = {fact.address.member for fact in scan(project, registry, kept).facts if fact.address.member.startswith("ts:")}
    invented = {
        "ts:@opencode-ai/plugin/gone#gone",
        'ts:@opencode-ai/plugin#Hooks["made.up"]',
        "ts:@opencode-ai/plugin#Hooks.tool.hello",
    }
    unions = {"ts:@opencode-ai/sdk#Event.type", "ts:@opencode-ai/sdk#Event.properties", "ts:@opencode-ai/sdk#SessionStatus.type"}
    assert used - declared <= invented | unions
