"""`driftwatch init`: what it makes of a folder, and that it never touches what is there."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from driftwatch.cli import main
from driftwatch.errors import UsageError
from driftwatch.model import Address, Fact, Gap, Observed, Ref, Snapshot
from driftwatch.observe.hosts import driver
from driftwatch.observe.hosts.profile import profiles
from driftwatch.observe.probes import library_ids
from driftwatch.pipeline.init import recognise
from driftwatch.pipeline.init.draft import entries_of, globs, role_of
from driftwatch.pipeline.init.look import settle
from driftwatch.pipeline.init.project import read
from driftwatch.render.init import Draft, Entry
from tests.support.fault_registry import FaultRegistry, tgz
from tests.support.git import Repository

PLUGIN = "@opencode-ai/plugin"
PROFILE = next(profile for profile in profiles() if profile.name == "opencode")


@dataclass
class Place:
    """A project's folder with a registry of its own."""

    root: Path
    registry: FaultRegistry

    def write(self, name: str, data: Any) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    def init(self, *argv: str, folder: Path | None = None) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        cache = self.root.parent / "cache"
        code = main(["init", str(folder or self.root), "--cache", str(cache), "-q", *argv], out, err)
        return code, out.getvalue(), err.getvalue()

    @property
    def upstream(self) -> dict[str, Any]:
        data = yaml.safe_load((self.root / "watchlist.yaml").read_text())
        upstream: dict[str, Any] = data["upstreams"][0]
        return upstream


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    home, root = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    root.mkdir()
    monkeypatch.setenv("HOME", str(home))
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    repository = Repository(upstream)
    repository.git("init", "-q", "-b", "main")
    for version in ("1.0.0", "1.2.0"):
        repository.commit({row.path: f"// {version}\n" for row in PROFILE.watch}, f"v{version}")
    monkeypatch.setattr(recognise, "profiles", lambda: (replace(PROFILE, git_url=str(upstream)),))
    with FaultRegistry() as registry:
        for name in PROFILE.packages:
            registry.publish(
                name, {v: tgz({"package.json": json.dumps({"name": name, "version": v}).encode()}) for v in ("1.0.0", "1.2.0")}
            )
        (root / ".npmrc").write_text(f"registry={registry.url}\n")
        yield Place(root, registry)


def locked(version: str) -> dict[str, Any]:
    return {"lockfileVersion": 3, "packages": {f"node_modules/{PLUGIN}": {"version": version}}}


def test_a_locked_plugin_gets_a_watchlist_and_a_lock(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "^1.0.0"}, "engines": {"opencode": ">=1.0.0"}})
    place.write("package-lock.json", locked("1.0.0"))
    place.write("opencode.json", {"model": "x/y"})
    code, out, err = place.init()
    assert code == 0, err
    assert sorted(Path(line.split()[1]).name for line in out.splitlines()) == ["watchlist.lock", "watchlist.yaml"]
    assert place.upstream["accepted"] == "1.0.0"
    assert place.upstream["packages"] == list(PROFILE.packages)
    assert place.upstream["relies_on"] == ["config:model"]
    text = (place.root / "watchlist.yaml").read_text()
    assert "# package-lock.json" in text and "# opencode.json:1" in text and "engines.opencode says >=1.0.0" in text
    lock = json.loads((place.root / "watchlist.lock").read_text())
    assert lock["upstreams"]["opencode"]["packages"][PLUGIN]["version"] == "1.0.0"


def test_what_the_accepted_version_does_not_declare_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    names = (f"ts:{PLUGIN}#Hooks.event", f"ts:{PLUGIN}#Hooks.dispose", "ts:unread#X")
    gaps = (
        Gap(names[1], "nothing was observed at this address, at either version"),  # which is what the look says of it
        Gap("ts:unread", "no declarations"),
    )
    new = Snapshot.of(Ref(PLUGIN, "1.0.0"), Observed((Fact(Address(names[0]), {}),), gaps))
    looked: Any = SimpleNamespace(examined=(SimpleNamespace(new=new, report=SimpleNamespace(files=())),))
    entries = tuple(Entry(name, "hook", ()) for name in names)
    draft = Draft("p", "implementer", "opencode", (PLUGIN,), "1.0.0", "", "", "", "", entries=entries)
    settled = settle(draft, read(tmp_path), looked)
    assert [entry.aside for entry in settled.entries] == ["", "not declared by 1.0.0", ""]


def test_a_second_time_there_is_nothing_to_do(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    assert place.init()[0] == 0
    before = {path.name: path.read_bytes() for path in place.root.iterdir()}
    code, out, _ = place.init()
    assert (code, out) == (0, "nothing to do: what there is says all that would be proposed\n")
    assert {path.name: path.read_bytes() for path in place.root.iterdir()} == before


def test_what_is_there_stays_and_what_it_lacks_is_told(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    place.write("opencode.json", {"model": "x/y"})
    upstream = f"{{id: o, packages: ['{PLUGIN}'], accepted: 1.0.0, relies_on: ['manifest:{PLUGIN}']}}"
    mine = f"version: 1\nproject: {{name: mine}}\nupstreams: [{upstream}]\n"
    place.write("watchlist.yaml", mine)
    code, out, err = place.init()
    assert code == 0, err
    assert (place.root / "watchlist.yaml").read_text() == mine
    assert "stays as it is; it lacks: relies_on config:model (opencode.json:1)" in out
    assert "watchlist.lock" in out and json.loads((place.root / "watchlist.lock").read_text())["upstreams"].keys() == {"o"}


def test_a_watchlist_that_accepts_nothing_gets_no_lock(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    place.write("watchlist.yaml", f"version: 1\nproject: {{name: mine}}\nupstreams: [{{id: o, packages: ['{PLUGIN}']}}]\n")
    code, _, err = place.init()
    assert code == 11 and "does not say which version is accepted" in err
    assert not (place.root / "watchlist.lock").exists()


def test_a_link_that_leads_nowhere_is_not_overwritten(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    (place.root / "watchlist.lock").symlink_to(place.root / "gone" / "watchlist.lock")
    assert place.init()[0] == 11, "no lock was made, and that is said"
    assert (place.root / "watchlist.lock").is_symlink() and not (place.root / "gone").exists()


def test_dry_run_prints_and_writes_nothing(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    before = sorted(os.listdir(place.root))
    code, out, _ = place.init("--dry-run")
    assert (code, yaml.safe_load(out)["project"]["name"]) == (0, "ours")
    assert sorted(os.listdir(place.root)) == before


def test_a_range_without_a_lock_is_what_npm_would_install_now(place: Place) -> None:
    place.write("package.json", {"name": "ours", "peerDependencies": {PLUGIN: ">=1"}})
    assert place.init()[0] == 0
    assert place.upstream["accepted"] == "1.2.0"


def test_what_is_installed_beats_a_range(place: Place) -> None:
    place.write("package.json", {"name": "ours", "devDependencies": {PLUGIN: "^1"}})
    place.write(f"node_modules/{PLUGIN}/package.json", {"name": PLUGIN, "version": "1.0.0"})
    assert place.init()[0] == 0
    assert place.upstream["accepted"] == "1.0.0"


@pytest.mark.parametrize(
    ("spec", "lock", "reason"),
    [
        ("workspace:*", None, "workspace:* is not a version of the registry"),
        ("^1", "{", "package-lock.json is not whole JSON"),
        ("github:a/b", None, "not a version of the registry"),
        ("^7", None, "no published version"),
        ("nightly", None, "no dist-tag 'nightly'"),
    ],
)
def test_an_unknown_version_is_never_guessed(place: Place, spec: str, lock: str | None, reason: str) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: spec}})
    if lock is not None:
        place.write("package-lock.json", lock)
    code, _, err = place.init()
    assert code == 11
    assert reason in err
    assert "accepted" not in place.upstream and reason in (place.root / "watchlist.yaml").read_text()
    assert not (place.root / "watchlist.lock").exists()
    code, _, err = place.init("--accepted", "1.0.0")  # the watchlist is there: it is not written again
    assert "accepted" not in place.upstream


def test_the_version_may_be_said(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "workspace:*"}})
    assert place.init("--accepted", "1.2.0")[0] == 0
    assert place.upstream["accepted"] == "1.2.0"


def test_without_a_registry_it_says_what_it_could_not_see(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    place.write("src/index.ts", "export const x = 1\n")
    code, _, err = place.init("--offline")
    assert code == 11
    assert "could not be looked at" in err
    assert place.upstream["accepted"] == "1.0.0"
    assert not (place.root / "watchlist.lock").exists()


def test_ci_files(place: Place) -> None:
    place.write("package.json", {"name": "ours", "dependencies": {PLUGIN: "1.0.0"}})
    commit = "a" * 40
    assert place.init("--ci", "github", "--ci-from", f"me/fork@{commit}")[0] == 0
    texts = [path.read_text() for path in (place.root / ".github/workflows").iterdir()]
    assert len(texts) == 3 and all("uses: me/fork/.github/workflows/" in text and f"@{commit}" in text for text in texts)
    assert place.init("--ci", "github", "--ci-from", "me/fork@main")[0] == 2
    place.init("--ci", "gitlab")
    assert (place.root / ".gitlab/driftwatch.yml").is_file()


# --- folders that are none


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a":', "\udcff", "{" * 100_000])
def test_an_unreadable_manifest_is_named(place: Place, text: str) -> None:
    (place.root / "package.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    code, _, err = place.init()
    assert code == 2 and "package.json" in err
    assert not (place.root / "watchlist.yaml").exists()


def test_a_repository_that_cannot_be_reached_is_said_and_is_no_all_clear(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognise, "profiles", lambda: (replace(PROFILE, git_url=str(tmp_path / "nowhere")),))
    place.write("package.json", {"name": "p", "dependencies": {PLUGIN: "1.0.0"}})
    code, out, err = place.init()
    assert code == 11 and "watchlist.lock" in out
    assert "could not be looked at: commit:v1.0.0" in err and "nowhere" in err


def test_a_folder_of_another_kind_is_refused(place: Place) -> None:
    code, _, err = place.init()
    assert code == 2 and "no package.json" in err and "--host opencode" in err
    place.write("package.json", {"name": "a-web-page", "dependencies": {"react": "1"}})
    assert place.init()[0] == 2
    assert place.init("--host", "opencode")[0] == 0
    assert place.init("--host", "opencod")[0] == 2
    assert place.init(folder=place.root / "nowhere")[0] == 2
    assert place.init(folder=place.root / "package.json")[0] == 2


def test_a_plugin_that_depends_on_nothing_is_known_by_its_keywords(place: Place) -> None:
    place.write("package.json", {"name": "ours", "keywords": ["privacy", "OpenCode-Plugin", 7]})
    assert recognise.recognise(read(place.root)).name == "opencode"
    place.write("package.json", {"name": "ours", "keywords": "opencode-plugin"})
    with pytest.raises(UsageError, match="keywords"):
        recognise.recognise(read(place.root))


def test_plugins_without_a_package_are_a_project(place: Place) -> None:
    place.write(".opencode/plugin/mine.js", "export const Mine = async () => ({})\n")
    assert place.init()[0] in (0, 11)  # 11: no compiler here to read the source with
    assert place.upstream["accepted"] == "1.2.0"
    assert "package.json does not name" in (place.root / "watchlist.yaml").read_text()


@pytest.mark.parametrize("kind", ["npm", "yarn", "pnpm"])
def test_a_monorepo_names_the_package_to_go_to(place: Place, kind: str) -> None:
    root: dict[str, Any] = {"name": "all", "private": True}
    globs = ["packages/*", "!packages/not", "../outside/*"]
    if kind == "pnpm":
        place.write("pnpm-workspace.yaml", {"packages": globs})
    else:
        root["workspaces"] = globs if kind == "npm" else {"packages": globs}
    place.write("package.json", root)
    place.write("packages/a/package.json", {"name": "a", "dependencies": {PLUGIN: "^1"}})
    place.write("packages/b/package.json", {"name": "b"})
    place.write("packages/c/package.json", "{")
    code, _, err = place.init()
    assert code == 2 and "driftwatch init project/packages/a" in err and "packages/b" not in err


def test_a_member_is_pinned_by_the_lock_of_the_repository(place: Place) -> None:
    (place.root / ".git").mkdir()
    place.write("package-lock.json", locked("1.0.0"))
    place.write("packages/a/package.json", {"name": "a", "dependencies": {PLUGIN: "^1"}})
    (place.root / "packages/a/.npmrc").write_text((place.root / ".npmrc").read_text())
    assert read(place.root / "packages/a").tree.pin(PLUGIN).version == "1.0.0"
    (place.root / ".git").rmdir()
    assert read(place.root / "packages/a").tree.pin(PLUGIN).version == "", "outside of a repository it is somebody else's lock"


# --- what is proposed


def use(file: str, address: str, *kinds: str, line: int = 1, **more: Any) -> Fact:
    return Fact(Address(f"use:{file}#{address}"), {"kinds": [*kinds], "lines": [f"{line}:1"], **more}, f"{file}:{line}")


USES = [
    use("src/a.ts", f"ts:{PLUGIN}#Plugin", "import-type"),
    use("src/a.ts", f'ts:{PLUGIN}#Hooks["shell.env"]', "hook", line=7),
    use("src/b.ts", f'ts:{PLUGIN}#Hooks["shell.env"]', "hook", line=12),
    use("src/a.ts", f'ts:{PLUGIN}#Hooks["shell.env"](1).env', "write", line=8),
    use("src/a.ts", f"ts:{PLUGIN}#Hooks.tool.hello", "tool", line=9),
    use("src/a.ts", f"ts:{PLUGIN}#PluginInput.client", "read", line=3),
    use("src/a.ts", f"ts:{PLUGIN}#PluginInput.project.id", "read", line=4),
    use("src/a.ts", "event:session.idle", "event", line=5, unsure=True),
    use("src/a.ts", "event:session.idle#properties.sessionID", "read", line=6),
    use("src/a.ts", "http:POST /session/{}/prompt_async", "call", line=10),
    use("opencode.json", "config:agent", "config-set", through=True),
    use("opencode.json", "config:agent.build", "config-set", line=2),
    use("src/a.ts", "ts:@opencode-ai/sdk#Part.type", "read", line=11),
]  # fmt: skip


def test_what_a_person_would_write_down() -> None:
    rows = {entry.address: entry for entry in entries_of(USES, PROFILE)}
    assert set(rows) == {
        f"ts:{PLUGIN}#Plugin",
        f'ts:{PLUGIN}#Hooks["shell.env"]',
        f"ts:{PLUGIN}#Hooks.tool",
        f"ts:{PLUGIN}#PluginInput.client",
        f"ts:{PLUGIN}#PluginInput.project",
        "event:session.idle",
        "http:POST /session/{}/prompt_async",
        "config:agent.build",
    }
    assert rows[f'ts:{PLUGIN}#Hooks["shell.env"]'].places == ("src/a.ts:7", "src/b.ts:12")
    assert rows[f"ts:{PLUGIN}#Hooks.tool"].note == "tools: hello"
    assert rows[f"ts:{PLUGIN}#PluginInput.client"].aside.startswith("the whole of the API")
    assert rows["event:session.idle"].aside and rows["event:session.idle"].unsure and not rows[f"ts:{PLUGIN}#Plugin"].unsure


def test_who_writes_hooks_is_an_implementer_and_who_calls_is_a_consumer() -> None:
    addresses = [Address(fact.address.member) for fact in USES]
    assert role_of(addresses, PROFILE) == "implementer"
    assert role_of([Address("ts:@opencode-ai/sdk#createOpencodeClient"), Address("http:GET /session")], PROFILE) == "consumer"


def test_what_is_only_read_is_relied_on_as_a_consumer() -> None:
    from driftwatch.pipeline.init.draft import propose
    from driftwatch.render.init import Draft

    draft = Draft("x", "consumer", "opencode", PROFILE.packages, "1.0.0", "", "", "", "")
    rows = {entry.address: entry.role for entry in propose(draft, PROFILE, USES).entries}
    assert rows[f"ts:{PLUGIN}#PluginInput.client"] == rows["http:POST /session/{}/prompt_async"] == "consumer"
    assert rows[f'ts:{PLUGIN}#Hooks["shell.env"]'] is rows[f"ts:{PLUGIN}#Plugin"] is rows["config:agent.build"] is None
    calls = [fact for fact in USES if "http:" in fact.address]
    drafted = propose(draft, PROFILE, calls)
    assert (drafted.role, [entry.role for entry in drafted.entries]) == ("consumer", [None])


def test_the_source_is_named_only_where_that_means_the_same_files(place: Place) -> None:
    place.write("package.json", {"name": "ours"})
    place.write("src/index.ts", "")
    place.write("src/more/x.ts", "")
    assert globs(read(place.root), ["src/index.ts", "src/more/x.ts"]) == ("src",)
    place.write("src/index.test.ts", "")
    assert globs(read(place.root), ["src/index.ts", "src/more/x.ts"]) == ("src/index.ts", "src/more/x.ts")
    many = [f"src/{number}.ts" for number in range(20)]
    for name in many:
        place.write(name, "")
    assert globs(read(place.root), many) == ()


# --- profiles are data that fits what there is


@pytest.mark.parametrize("profile", profiles(), ids=lambda profile: profile.name)
def test_a_profile_names_what_exists(profile: Any) -> None:
    from driftwatch import addresses

    assert driver(profile.name).name == profile.name
    assert set(profile.probes) <= set(library_ids())
    patterns = [when for row in profile.watch for when in row.when] + [when for rows in profile.probes.values() for when in rows]
    assert [addresses.problem(pattern) for pattern in patterns] == [None] * len(patterns)


def test_the_ci_templates_are_those_of_the_docs_and_examples() -> None:
    root = Path(__file__).parents[2]
    templates = root / "driftwatch/render/templates/ci"
    assert (templates / "gitlab.yml").read_bytes() == (root / "examples/ci/gitlab.yml").read_bytes()
    docs = (root / "docs/ci.md").read_text()
    for path in templates.glob("driftwatch-*.yml"):
        assert path.read_text() in docs, path.name
