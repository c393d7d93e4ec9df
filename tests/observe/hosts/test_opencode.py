"""The OpenCode driver: which package, how it starts, and what it says when a host does not."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import tarfile
import threading
import time
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import pytest

from driftwatch.errors import UsageError
from driftwatch.observe.hosts import Binary, HostError, Setting, driver, drivers, memory, platform
from driftwatch.observe.hosts.driver import Answer
from driftwatch.observe.hosts.opencode import COLLECTS, PER_HOST, OpenCode, package_for
from driftwatch.observe.hosts.opencode_host import UNREACHABLE, OpenCodeHost, handed_on, parse
from driftwatch.observe.hosts.platform import Machine
from driftwatch.observe.hosts.starts import STARTS
from driftwatch.observe.process import ProcessError
from driftwatch.progress import SILENT
from tests.support import fake_host


def binary(tmp_path: Path, fault: str = "") -> Binary:
    return Binary(fake_host.make(tmp_path / "bin", fault), fake_host.VERSION, "fake", "sha512-AAAA")


# --- which package ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "machine, package",
    [
        (Machine("linux", "x64"), "opencode-linux-x64"),
        (Machine("linux", "x64", avx2=False), "opencode-linux-x64-baseline"),
        (Machine("linux", "x64", musl=True), "opencode-linux-x64-musl"),
        (Machine("linux", "x64", musl=True, avx2=False), "opencode-linux-x64-baseline-musl"),
        (Machine("linux", "arm64"), "opencode-linux-arm64"),
        (Machine("linux", "arm64", musl=True), "opencode-linux-arm64-musl"),
        (Machine("darwin", "arm64"), "opencode-darwin-arm64"),
        (Machine("darwin", "x64", avx2=False), "opencode-darwin-x64-baseline"),
    ],
)
def test_package_of_a_machine(machine: Machine, package: str) -> None:
    assert package_for(machine) == package


@pytest.mark.parametrize("machine", [Machine("win32", "x64"), Machine("linux", "riscv64"), Machine("freebsd14", "x64")])
def test_a_machine_without_a_package_is_told_so(machine: Machine) -> None:
    with pytest.raises(HostError, match=f"no OpenCode binary is published for {machine}"):
        package_for(machine)


def test_drivers_by_name() -> None:
    assert drivers() == ("opencode",)
    assert driver("opencode").name == "opencode"
    with pytest.raises(UsageError, match="no host driver 'opencod'"):
        driver("opencod")


# --- having a binary --------------------------------------------------------------------------------------------------


@dataclass
class Published:
    integrity: str


class Shop:
    """A registry with one package."""

    def __init__(self, folder: Path, members: dict[str, bytes], integrity: str = "") -> None:
        self.file = folder / "package.tgz"
        with tarfile.open(self.file, "w:gz") as archive:
            for name, data in members.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(data), 0o755
                archive.addfile(entry, io.BytesIO(data))
        digest = b64encode(hashlib.sha512(self.file.read_bytes()).digest()).decode()
        self.published = Published(integrity or f"sha512-{digest}")
        self.downloads = 0

    def version(self, name: str, version: str) -> Published:
        return self.published

    def tarball(self, name: str, version: str) -> Path:
        self.downloads += 1
        return self.file


def test_a_binary_is_unpacked_once_and_alone(tmp_path: Path, cache: Path) -> None:
    shop = Shop(tmp_path, {"package/package.json": b"{}", "package/bin/opencode": b"#!/bin/sh\n"})
    first = OpenCode().acquire("1.2.3", shop, cache, SILENT)
    second = OpenCode().acquire("1.2.3", shop, cache, SILENT)
    assert first == second
    assert shop.downloads == 1
    assert (first.version, first.integrity) == ("1.2.3", shop.published.integrity)
    assert first.path.read_bytes() == b"#!/bin/sh\n"
    assert first.path.stat().st_mode & 0o111
    assert [path.name for path in first.path.parent.parent.rglob("*") if path.is_file()] == ["opencode"]
    assert first.path.is_relative_to(cache / "hosts")


def test_a_binary_that_was_cleaned_away_comes_back(tmp_path: Path, cache: Path) -> None:
    shop = Shop(tmp_path, {"package/bin/opencode": b"x"})
    OpenCode().acquire("1.2.3", shop, cache, SILENT).path.unlink()
    assert OpenCode().acquire("1.2.3", shop, cache, SILENT).path.read_bytes() == b"x"


@pytest.mark.parametrize("damage", ["cut", "changed", "a folder", "its folder is a file", "copied"])
def test_a_binary_that_is_not_what_was_unpacked_is_unpacked_again(damage: str, tmp_path: Path, cache: Path) -> None:
    shop = Shop(tmp_path, {"package/bin/opencode": b"whole"})
    path = OpenCode().acquire("1.2.3", shop, cache, SILENT).path
    if damage == "cut":
        path.write_bytes(b"wh")
    elif damage == "changed":
        path.write_bytes(b"evil!")
    elif damage == "copied":
        os.utime(path, (1, 1))
    else:
        path.unlink()
        if damage == "a folder":
            path.mkdir()
        else:
            path.parent.rmdir()
            path.parent.parent.rmdir()
            path.parent.parent.write_bytes(b"x")
    assert OpenCode().acquire("1.2.3", shop, cache, SILENT).path.read_bytes() == b"whole"
    assert shop.downloads == (1 if damage == "copied" else 2)


def test_many_at_once_are_safe(tmp_path: Path, cache: Path) -> None:
    shop = Shop(tmp_path, {"package/bin/opencode": b"y" * 100_000})
    found: list[Binary] = []
    threads = [threading.Thread(target=lambda: found.append(OpenCode().acquire("1.2.3", shop, cache, SILENT))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert found[0].path.stat().st_size == 100_000


def test_an_old_version_with_only_a_sha1_can_be_had(tmp_path: Path, cache: Path) -> None:
    shop = Shop(tmp_path, {"package/bin/opencode": b"x"})
    shop.published = Published("sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=")
    found = OpenCode().acquire("1.2.3", shop, cache, SILENT)
    assert found.integrity == "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="
    assert found.path.parent.parent.name == "sha1-da39a3ee5e6b4b0d3255bfef95601890afd80709"


@pytest.mark.parametrize(
    "published, reason",
    [(Published(""), "promises no integrity"), (Published("sha512-!!!"), "no usable integrity")],
)
def test_without_a_promise_nothing_is_unpacked(tmp_path: Path, cache: Path, published: Published, reason: str) -> None:
    shop = Shop(tmp_path, {"package/bin/opencode": b"x"})
    shop.published = published
    with pytest.raises(HostError, match=reason):
        OpenCode().acquire("1.2.3", shop, cache, SILENT)
    assert shop.downloads == 0


def test_a_package_without_the_binary_says_so(tmp_path: Path, cache: Path) -> None:
    shop = Shop(tmp_path, {"package/package.json": b"{}"})
    with pytest.raises(HostError, match=r"holds no bin/opencode"):
        OpenCode().acquire("1.2.3", shop, cache, SILENT)


def test_an_executable_of_ones_own(tmp_path: Path) -> None:
    path = fake_host.make(tmp_path)
    found = OpenCode().binary_at(path)
    assert (found.path, found.package) == (path.resolve(), "")
    assert found.integrity.startswith("sha512-")
    with pytest.raises(HostError, match="is not a file"):
        OpenCode().binary_at(tmp_path / "nothing")


# --- starting ---------------------------------------------------------------------------------------------------------


def test_a_host_is_up_isolated_and_gone_afterwards(tmp_path: Path) -> None:
    with OpenCode().boot(binary(tmp_path), scratch=tmp_path / "work") as host:
        assert host.version() == fake_host.VERSION
        assert host.alive()
        project = host.project("one", {"src/a.txt": "a"}, {"share": "manual"}, "http://127.0.0.1:1/v1")
        assert (project / "src/a.txt").read_text() == "a"
        assert '"share": "manual"' in (project / "opencode.json").read_text()
        assert (project / ".opencode/node_modules").is_dir()
        assert project.is_relative_to(host.scratch)
        assert host.open(project, 5).is_json
        page = host.request("GET", "/nothing/here")
        assert (page.status, page.is_json, page.content_type) == (200, False, "text/html")
        environment = Path(f"/proc/{host.child.pid}/environ")
        if environment.exists():
            names = {line.partition(b"=")[0].decode() for line in environment.read_bytes().split(b"\0") if line}
            assert {"HOME", "TMPDIR", "NO_PROXY", "HTTPS_PROXY", "OPENCODE_DISABLE_AUTOUPDATE"} <= names
            assert "PYTEST_CURRENT_TEST" not in names
            assert f"OPENCODE_MODELS_PATH={host.scratch}/models.json".encode() in environment.read_bytes().split(b"\0")
        catalogue = json.loads((host.scratch / "models.json").read_text())
        assert {"opencode", "anthropic", "openai", "google", "github-copilot"} == set(catalogue)
        assert all(name == provider["id"] and provider["models"] for name, provider in catalogue.items())
    assert list((tmp_path / "work").iterdir()) == []


def test_settings_reach_the_host(tmp_path: Path) -> None:
    setting = Setting(env=(("OPENCODE_PURE", "1"),), home=((".config/opencode/plugin/g.js", "// global"),))
    with OpenCode().boot(binary(tmp_path), scratch=tmp_path / "work", setting=setting) as host:
        assert (host.scratch / "home/.config/opencode/plugin/g.js").read_text() == "// global"
        environment = Path(f"/proc/{host.child.pid}/environ")
        assert not environment.exists() or b"OPENCODE_PURE=1" in environment.read_bytes().split(b"\0")


def collects(host: OpenCodeHost) -> bool:
    return b"BUN_JSC_useGC=0" not in Path(f"/proc/{host.child.pid}/environ").read_bytes().split(b"\0")


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the environment of a process can be read on Linux only")
def test_memory_is_spent_for_time_where_there_is_enough_and_only_for_quick_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, quick, room = binary(tmp_path), Setting(quick=True), tmp_path / "work"
    monkeypatch.setattr(memory, "available", lambda: memory.SPARED + 2 * PER_HOST)
    with OpenCode().boot(found, scratch=room, setting=quick) as one, OpenCode().boot(found, scratch=room, setting=quick) as two:
        assert not collects(one)
        assert not collects(two)
        with OpenCode().boot(found, scratch=room, setting=quick) as three:
            assert collects(three), "all there is is promised"
    with OpenCode().boot(found, scratch=room) as patient:
        assert collects(patient)
    monkeypatch.setattr(memory, "available", lambda: 0)  # where it cannot be told
    with OpenCode().boot(found, scratch=room, setting=quick) as poor:
        assert collects(poor)


@pytest.mark.slow
def test_a_runtime_that_does_not_know_the_variable_goes_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: memory.SPARED + PER_HOST)
    strict = OpenCode().binary_at(fake_host.make(tmp_path / "bin", "strict-runtime"))
    with OpenCode(20).boot(strict, scratch=tmp_path / "work", setting=Setting(quick=True)) as host:
        assert host.alive()
    assert STARTS.refuses(strict, COLLECTS)


@pytest.mark.parametrize(
    ("free", "groups", "told"),
    [
        (8, {}, 8),
        (8, {"": ("max", 1)}, 8),
        (8, {"": (4, 1)}, 3),
        (8, {"": (64, 1)}, 8),
        (8, {"": (1, 2)}, 0),
        (8, {"a.slice/b.service": ("max", 1), "a.slice": (6, 1), "": (7, 1)}, 5),
        (0, {"": (64, 1)}, 0),
    ],
)
def test_what_the_control_groups_around_us_allow_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, groups: dict[str, tuple[int | str, int]], told: int
) -> None:
    unit = 1024**3
    meminfo, own = tmp_path / "meminfo", tmp_path / "cgroup"
    meminfo.write_text(f"MemTotal: 99 kB\nMemAvailable:   {free * 1024**2} kB\n" if free else "")
    own.write_text(f"0::/{next(iter(groups), '')}\n")
    for name, (limit, used) in groups.items():
        (tmp_path / "groups" / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name / "memory.max").write_text(f"{limit * unit if isinstance(limit, int) else limit}\n")
        (tmp_path / "groups" / name / "memory.current").write_text(f"{used * unit}\n")
    for name, path in (("MEMINFO", meminfo), ("CGROUP", own), ("GROUPS", tmp_path / "groups")):
        monkeypatch.setattr(memory, name, path)
    assert memory.available() == told * unit
    own.unlink()
    assert memory.available() == free * unit


def test_a_file_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    with (
        OpenCode().boot(binary(tmp_path), scratch=tmp_path / "work") as host,
        pytest.raises(HostError, match="leads out of the project"),
    ):
        host.project("one", {"../../escaped": "x"}, {}, "")
    assert not list(tmp_path.rglob("escaped"))


def test_a_host_of_the_old_line_is_told_by_what_it_answers(tmp_path: Path) -> None:
    with OpenCode().boot(binary(tmp_path, "old"), scratch=tmp_path / "work") as host:
        assert host.version() == fake_host.VERSION  # from its log: it has no health route


def test_a_route_that_an_old_host_hands_on_is_a_page() -> None:
    text = json.dumps({"name": "UnknownError", "data": {"message": f"Error: {UNREACHABLE}\n path: x"}})
    answer = handed_on(Answer(500, "application/json", text, True, json.loads(text)))
    assert (answer.status, answer.content_type, answer.is_json, answer.json) == (500, "text/html", False, None)
    for other in (
        Answer(500, "application/json", '{"name": "x"}', True, {"name": "x"}),
        Answer(200, "application/json", text, True, {}),
    ):
        assert handed_on(other) == other


@pytest.mark.slow
def test_a_taken_port_is_tried_again(tmp_path: Path) -> None:
    with OpenCode().boot(binary(tmp_path, "port-taken-once"), scratch=tmp_path / "work") as host:
        assert host.version() == fake_host.VERSION


FAULTS = {
    "exits": "the host exited with code 3 before it listened",
    "says-why": "the host exited with code 1 before it listened: error: the configuration is no good",
    "never-listens": "the host did not listen within 0.7 s: still thinking",
    "mute": "the host listens but gives no answer to GET /global/health",
    "listens-without-server": "the host listens but gives no answer to GET /global/health",
    "html": "the host answers with web pages where its API should be",
    "other-version": "the host says it is version 9.9.9, its package is 1.2.3",
    "port-taken": "Failed to start server. Is port",
}


ENDS = {"exits", "says-why", "html", "other-version", "port-taken"}  # by themselves, however long they may


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.slow
def test_a_host_that_does_not_come_up_says_why_and_is_gone(tmp_path: Path, fault: str) -> None:
    with (
        pytest.raises(HostError) as caught,
        OpenCode(20 if fault in ENDS else 0.7).boot(binary(tmp_path, fault), scratch=tmp_path / "work"),
    ):
        pass
    assert FAULTS[fault] in caught.value.message
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.slow
def test_one_that_floods_its_output_is_ended(tmp_path: Path) -> None:
    with (
        pytest.raises(HostError, match="flooded its output"),
        OpenCode().boot(binary(tmp_path, "floods"), scratch=tmp_path / "work"),
    ):
        pass


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.write_text("no program")])
def test_what_is_no_program_says_the_systems_reason(tmp_path: Path, make: object) -> None:
    path = tmp_path / "opencode"
    make(path)  # type: ignore[operator]
    with (
        pytest.raises(ProcessError, match="cannot start"),
        OpenCode().boot(Binary(path, "1", "p", "sha512-AA"), scratch=tmp_path / "w"),
    ):
        pass


@pytest.mark.parametrize("fault", ["deaf", "daemonises"])
@pytest.mark.slow
def test_one_that_will_not_go_goes(tmp_path: Path, fault: str) -> None:
    with OpenCode().boot(binary(tmp_path, fault), scratch=tmp_path / "work") as host:
        assert host.alive()
    assert not host.alive()
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.slow
def test_a_crash_is_told_from_silence(tmp_path: Path) -> None:
    with (
        OpenCode().boot(binary(tmp_path, "crash-on-dispose"), scratch=tmp_path / "work") as host,
        pytest.raises(HostError, match=r"exited with code 7 at POST /instance/dispose: .*out of luck"),
    ):
        host.request("POST", "/instance/dispose")
    with OpenCode().boot(binary(tmp_path, "hang-on-dispose"), scratch=tmp_path / "work") as host:
        with pytest.raises(TimeoutError):
            host.request("POST", "/instance/dispose", timeout=0.2)
        assert host.alive()
        host.signal(signal.SIGTERM)
        assert host.wait(5) is not None


# --- its log ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["x" * 1_000_000, "a." * 500_000, 'a="' * 300_000, "INFO a" + " " * 1_000_000 + "b"])
def test_a_line_without_end_is_read_in_no_time(text: str) -> None:
    started = time.monotonic()
    parse(text)
    assert time.monotonic() - started < 5


def test_both_spellings_of_a_log_line() -> None:
    new = parse(
        'timestamp=2026-01-01T00:00:00Z level=ERROR run=1 message="failed to load plugin" path=/a/b.js error="no \\"x\\""'
    )
    assert (new.level, new.text, new.fields["path"], new.fields["error"]) == (
        "error",
        "failed to load plugin",
        "/a/b.js",
        'no "x"',
    )
    old = parse("ERROR 2026-01-01T00:00:00 +28ms service=plugin path=file:///a/b.js failed to load plugin")
    assert (old.level, old.text, old.fields["service"]) == ("error", "failed to load plugin", "plugin")
    assert parse("opencode server listening on http://127.0.0.1:1").level == ""


@pytest.mark.parametrize(("load", "times"), [(0.1, 1.0), (4.0, 2.0), (900.0, 8.0), (None, 1.0)])
def test_a_busy_machine_is_given_more_time(monkeypatch: pytest.MonkeyPatch, load: float | None, times: float) -> None:
    def averages() -> tuple[float, float, float]:
        if load is None:
            raise OSError("not told here")
        return load, load, load

    monkeypatch.setattr(os, "getloadavg", averages)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert platform.strain() == times
