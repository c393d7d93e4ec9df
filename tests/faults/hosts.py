"""The host misbehaves: before it listens, while it is asked, and when it should go."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

from driftwatch.observe.hosts.opencode import OpenCode
from tests.faults.bench import NEW, Answer, Bench, Case

SECRET = "hunter2-the-secret-of-the-environment"
AGAIN = "driftwatch probe --version 1.1.0"
MUTE = "listens but gives no answer|did not listen within"


def host(fault: str, *, starts: float = 0.0, patience: float = 0.0, lives: float = 0.0) -> Callable[[Bench], None]:
    """The new version's host has a fault of tests/support/fake_host.py. Who waits for it is less patient than usual."""

    def change(made: Bench) -> None:
        made.host(NEW, fault)
        made.env(A_SECRET=SECRET)
        if starts:
            made.patch.setattr(OpenCode.__init__, "__defaults__", (starts,))
        if patience:
            made.patch.setattr("driftwatch.observe.probes.session.OPEN_IN", patience)
            made.patch.setattr("driftwatch.observe.probes.session.LOADED_IN", patience)
        if lives:
            made.patch.setattr("driftwatch.observe.probes.runner.HOST_FOR", lives)

    return change


def script(text: str) -> Callable[[Bench], None]:
    """The new version's host is this shell script."""
    return lambda made: made.host(NEW, binary=f"#!/bin/sh\n{text}\n".encode())


def no_secret(made: Bench, answer: Answer) -> None:
    assert SECRET not in answer.out + answer.err
    assert "HOME=" in answer.out, "it did tell its environment"


def probe(**changes: str) -> Callable[[Bench], None]:
    """The project's own probe with text replaced in its probe.yaml."""

    def fault(made: Bench) -> None:
        path = made.root / "probes" / "bye" / "probe.yaml"
        text = path.read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        path.write_text(text)

    return fault


def probe_file(name: str, content: bytes) -> Callable[[Bench], object]:
    return lambda made: made.write(f"probes/bye/{name}", content)


def gone(made: Bench) -> None:
    (made.root / "probes" / "bye" / "probe.yaml").unlink()
    (made.root / "probes" / "bye" / "plugin.js").unlink()
    (made.root / "probes" / "bye").rmdir()


def twins(made: Bench) -> None:
    shutil.copytree(made.root / "probes" / "bye", made.root / "probes" / "again")
    made.edit("[./probes/bye]", "[./probes/bye, ./probes/again]")


QUICK = {"exits at once", "crashes in the middle of a probe"}


def on_host(name: str, fault: Callable[[Bench], object], says: str = "", do: str = AGAIN, *rest: Any, **more: Any) -> Case:
    boots = not rest and name not in QUICK
    return Case(name, fault, says, do, *rest, on="host", slow=boots, **more)


CASES = [
    on_host("exits at once", host("exits"), "exited with code 3 before it listened"),
    on_host("exits and says why", host("says-why"), "the configuration is no good"),
    on_host("exits with hostile words", host("hostile-words"), "exited with code 1 before it listened"),
    on_host("tells its whole environment", host("tells-all"), "exited with code 1", then=no_secret),
    on_host("killed at start", script("kill -SEGV $$"), "was killed by SIGSEGV"),
    on_host("never listens", host("never-listens", starts=0.7), "did not listen within 0.7 s: still thinking"),
    on_host("listens and says nothing", host("listens-without-server", starts=1.0), MUTE),
    on_host("answers nothing", host("mute", starts=1.0), MUTE),
    on_host("answers with web pages", host("html"), "web pages where its API should be"),
    on_host("floods its output", host("floods"), "flooded its output"),
    on_host("floods its output later", host("floods-on-open"), "flooded its output"),
    on_host("says another version", host("other-version"), "says it is version 9.9.9"),
    on_host("its port is taken", host("port-taken"), "Is port .* in use"),
    on_host("dies when the project is opened", host("dies-on-open"), "exited with code 9.*what is this project"),
    on_host("crashes in the middle of a probe", host("crash-on-dispose"), "exited with code 7.*out of luck"),
    on_host("hangs in the middle of a probe", host("hang-on-dispose", lives=2.0), "deadline|timed out|no answer"),
    on_host("its configuration comes in drips", host("drips", patience=1.0), "timed out while the host opened the project"),
    on_host("its configuration never ends", host("huge"), "bigger than"),
    on_host("its configuration is cut", host("cuts"), "the answer is cut short"),
    on_host("loads no plugin", host("no-plugins", patience=1.0), "the control plugin did not load"),
    on_host("forgets to call what is relied on", host("forgets"), "probe-broke", ".", exit=10),
    on_host("will not go", host("deaf"), exit=0),
    on_host("leaves daemons behind", host("daemonises"), exit=0),
    on_host("locks its folders", host("locks-its-room"), exit=0),
    on_host("its port was taken once", host("port-taken-once"), exit=0),
    # the probes themselves
    on_host("no probe folder", gone, "probes/bye: there is no such folder", "a folder with a probe.yaml", 2),
    on_host("two probes of one name", twins, "there is already a probe 'bye'", "an id of its own", 2),
    on_host("probe.yaml is no YAML", probe_file("probe.yaml", b"id: [bye\n"), r"probe.yaml:\d", ".", 2),
    on_host("probe.yaml is empty", probe_file("probe.yaml", b""), "probe.yaml", ".", 2),
    on_host("probe.yaml is binary", probe_file("probe.yaml", b"\x00\xff\xfe"), "probe.yaml", ".", 2),
    on_host("probe.yaml has an unknown key", probe(**{"title:": "titel:"}), "titel.*did you mean 'title'", ".", 2),
    on_host("probe.yaml has an expression that is none", probe(**{"count(": "count(("}), "JMESPath", ".", 2),
    on_host("probe.yaml runs code", probe(**{"id: bye": "id: !!python/object/apply:os.system [id]"}), "probe.yaml:1", ".", 2),
    on_host("a probe's plugin is huge", probe_file("plugin.js", b"/" * 2_000_000), "bigger than", ".", 2),
    on_host("a probe's plugin is not text", probe_file("plugin.js", b"\xff\xfe"), "cannot be read as text", ".", 2),
    on_host(
        "a probe with another host", probe(**{"host: opencode": "host: emacs"}), "is for the host 'emacs'", "correct `host:`", 2
    ),
]
