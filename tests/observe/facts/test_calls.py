"""Call sites in source, in executables, and through a history."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.facts import calls

HOOKS = ["chat.params", "permission.ask", "event", "config", "tool"]


def counts(source: str, path: str = "src/a.ts", hooks: Iterable[str] = HOOKS) -> dict[str, int]:
    found = calls.observe({path: source.encode()}, hooks)
    return {fact.address.subject: fact.value for fact in found.facts if isinstance(fact.value, int) and fact.value}


@pytest.mark.parametrize(
    "source",
    [
        'await Plugin.trigger("permission.ask", info, { status: "ask" })',
        'yield* plugin.trigger(\n  // why\n  "permission.ask",\n  info,\n)',
        "plugin.trigger('permission.ask', a, b).pipe(x)",
        "plugin.trigger(`permission.ask`, a)",
        'input.plugin.trigger<"permission.ask">("permission.ask", a)',
        'trigger("permission.ask")',
        'plugin?.trigger("permission.ask", a)',
        '(plugin as any).trigger("permission.ask", a)',
        'plugin["trigger"]("permission.ask", a)',
        'export namespace A { export const f = async () => { if (x) { await P.trigger("permission.ask") } } }',
        'const view = <T,>(x: T) => plugin.trigger("permission.ask", x)',
    ],
)
def test_a_call_is_counted_however_it_is_written(source: str) -> None:
    assert counts(source) == {"permission.ask": 1}


@pytest.mark.parametrize(
    "source",
    [
        '// plugin.trigger("permission.ask", a)',
        '/* plugin.trigger("permission.ask", a) */',
        "const text = 'plugin.trigger(\"permission.ask\", a)'",
        'const text = `plugin.trigger("permission.ask")`',
        'plugin.trigger(name, "permission.ask")',
        'plugin.trigger(`permission.${"ask"}`)',
        'bus.publish("permission.ask", a)',
        'plugin.retrigger("permission.ask", a)',
        'interface Hooks { "permission.ask"?: (a: A) => void }',
        'plugin.trigger("permission.asked", a)',
    ],
)
def test_what_is_no_call_is_not_counted(source: str) -> None:
    assert counts(source) == {}


def test_a_member_is_called_where_hooks_are_spoken_of() -> None:
    source = 'import type { Hooks } from "p"\nfor (const hook of all) { (hook as any).config?.(cfg); hook["event"]?.({ event }) }'
    assert counts(source) == {"config": 1, "event": 1}
    assert counts(source.replace("Hooks", "Other")) == {}
    assert counts('import type { Hooks } from "p"\nconst a = fs.config(cfg)') == {}


def test_every_declared_hook_is_a_fact_and_a_plain_name_not_found_is_a_gap() -> None:
    found = calls.observe({"a.tsx": b'const x = <div onClick={() => plugin.trigger("chat.params")} />'}, HOOKS)
    assert [(str(fact.address), fact.value, fact.where) for fact in found.facts] == [
        ("call:chat.params", 1, "a.tsx:1"),
        ("call:permission.ask", 0, ""),
    ]
    assert [gap.address for gap in found.gaps] == ["call:config", "call:event", "call:tool"]


def test_tests_and_declarations_are_not_the_host() -> None:
    call = b'plugin.trigger("permission.ask")'
    files = dict.fromkeys(["src/test/a.ts", "src/a.test.ts", "src/a.d.ts", "e2e/a.ts", "src/readme.md"], call)
    with pytest.raises(Unobservable, match="no host source"):
        calls.observe(files, HOOKS)
    found = calls.observe({**files, "src/latest.ts": call}, HOOKS)
    assert next(fact.value for fact in found.facts if fact.address.subject == "permission.ask") == 1


def test_broken_source_still_counts_what_can_be_read() -> None:
    assert counts('plugin.trigger("permission.ask")\n}}}} ((( \nplugin.trigger("chat.params", {})') == {
        "permission.ask": 1,
        "chat.params": 1,
    }


# --- executables


def executable(tmp_path: Path, *pieces: str) -> Path:
    path = tmp_path / "host"
    path.write_bytes(b"\x7fELF\0\xff" * 500 + b"".join(piece.encode() + b"\0" * 300 for piece in pieces))
    return path


def binary(path: Path) -> dict[str, int]:
    return {fact.address.subject: fact.value for fact in calls.observe_binary(path, HOOKS).facts if isinstance(fact.value, int)}


def test_minified_and_plain_calls_in_an_executable(tmp_path: Path) -> None:
    path = executable(
        tmp_path,
        'a=yield*B.plugin.trigger("chat.params",{x:1},{})',
        "b=await P.trigger(\n        'chat.params', {\n",
        'c=retrigger("chat.params",1)',
        'd.trigger("permission.asked",1)',
        '`chat.params`, "permission.ask"',
    )
    assert binary(path) == {"chat.params": 2, "permission.ask": 0}


def test_the_same_code_embedded_twice_counts_once(tmp_path: Path) -> None:
    code = "x" * 150 + 'await Plugin.trigger("permission.ask", info2, {status: "ask"})' + "y" * 150
    assert binary(executable(tmp_path, code, code))["permission.ask"] == 1


def test_an_executable_without_any_call_is_not_zero(tmp_path: Path) -> None:
    with pytest.raises(Unobservable, match="no call of any declared hook"):
        binary(executable(tmp_path, "packed"))
    with pytest.raises(Unobservable, match="No such file"):
        binary(tmp_path / "none")
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(Unobservable):
        binary(tmp_path / "empty")


def test_a_count_is_remembered_by_integrity(tmp_path: Path) -> None:
    path = executable(tmp_path, 'P.trigger("chat.params",1)')
    first = calls.observe_binary(path, HOOKS, cache=tmp_path / "cache", integrity="sha512-a")
    path.unlink()
    assert calls.observe_binary(path, HOOKS, cache=tmp_path / "cache", integrity="sha512-a") == first
    for other in ({"integrity": "sha512-b", "cache": tmp_path / "cache"}, {"integrity": "sha512-a"}):
        with pytest.raises(Unobservable):
            calls.observe_binary(path, HOOKS, **other)  # type: ignore[arg-type]
    saved = next((tmp_path / "cache" / "documents" / "calls").iterdir())
    saved.write_text("{broken", "utf-8")
    with pytest.raises(Unobservable):
        calls.observe_binary(path, HOOKS, cache=tmp_path / "cache", integrity="sha512-a")


# --- history


class Entry(NamedTuple):
    blob: str


class Blob(NamedTuple):
    data: bytes | None


class Repository:
    """Commits c0, c1, ... of one file; every tag names one of them. Counts how many blobs were read."""

    def __init__(self, texts: Sequence[str], tags: Mapping[str, int]) -> None:
        self.texts = texts
        self._tags = {tag: f"c{index}" for tag, index in tags.items()}
        self.reads = 0

    def tags(self) -> Mapping[str, str]:
        return self._tags

    def tree(self, commit: str, watched: Sequence[str]) -> Mapping[str, Entry]:
        return {"src/a.ts": Entry(self.texts[int(commit[1:])])}

    def read(self, commit: str, paths: Iterable[str]) -> Mapping[str, Blob]:
        found = {path: Blob(self.texts[int(commit[1:])].encode()) for path in paths}
        self.reads += len(found)
        return found


ALIVE, DEAD = 'plugin.trigger("permission.ask")', "nothing()"


def test_the_release_and_the_commit_in_which_a_hook_died() -> None:
    texts = [ALIVE] * 61 + [DEAD] * 40
    tags = {f"v1.{n}.0": n for n in range(101)} | {"v1.50.0-beta.1": 0, "latest": 100}
    repository = Repository(texts, tags)

    def commits(alive: str, dead: str) -> list[str]:
        return [f"c{n}" for n in range(int(alive[1:]) + 1, int(dead[1:]) + 1)]

    found = calls.observe_history(repository, "permission.ask", "v1.0.0", "v1.100.0", ["src/**"], commits=commits)
    assert (found.alive, found.dead, found.commit, found.count, found.where) == ("v1.60.0", "v1.61.0", "c61", 1, ("src/a.ts:1",))
    assert repository.reads == 2  # a text is parsed once, however many commits hold it


@pytest.mark.parametrize(("old", "new"), [("v1.1.0", "v1.2.0"), ("v1.0.0", "v9.9.9")])
def test_a_hook_that_did_not_die_between_the_tags(old: str, new: str) -> None:
    repository = Repository([ALIVE, DEAD, DEAD], {"v1.0.0": 0, "v1.1.0": 1, "v1.2.0": 2})
    with pytest.raises(Unobservable):
        calls.observe_history(repository, "permission.ask", old, new, ["src/**"])


def test_permission_ask_in_the_real_history(tmp_path: Path) -> None:
    """1 call site at v1.0.0, 0 at v1.18.3: it died in v1.2.27, with the legacy permission module."""
    mirror = os.environ.get("DRIFTWATCH_TEST_MIRROR")
    if not mirror:
        pytest.skip("DRIFTWATCH_TEST_MIRROR names no mirror of the history")
    from driftwatch.observe.sources.git import Mirror

    def commits(alive: str, dead: str) -> list[str]:
        command = ["git", "-C", mirror, "rev-list", "--reverse", "--first-parent", f"{alive}..{dead}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    repository = Mirror(mirror, tmp_path)
    found = calls.observe_history(repository, "permission.ask", "v1.0.0", "v1.18.3", ["packages/*/src/**"], commits=commits)
    assert (found.alive, found.count, found.dead) == ("v1.2.26", 1, "v1.2.27")
    assert found.commit == "2fc06c5a179b53d041a77093564bbee937e7b70c"
    assert found.where == ("packages/opencode/src/permission/index.ts:127",)
