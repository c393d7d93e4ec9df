"""The project's own files are broken: watchlist, lock, last look, history and reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.faults.bench import Answer, Bench, Case

RESTORE = "restore it from version control"
DELETE = "delete it"
MADE = "driftwatch accept"


def watchlist(old: str = "", new: str | bytes = "") -> Callable[[Bench], object]:
    """A piece of the watchlist replaced, or (without one) all of it."""
    if isinstance(new, str) and old:
        return lambda made: made.edit(old, new)
    return lambda made: made.write("watchlist.yaml", new)


def lock(content: str | bytes) -> Callable[[Bench], object]:
    return lambda made: made.write("watchlist.lock", content)


def locked(change: Callable[[Any], object]) -> Callable[[Bench], object]:
    """The lock as it was but for one change in its upstream."""

    def fault(made: Bench) -> None:
        data = json.loads(made.lock.read_text())
        change(data["upstreams"]["acme"])
        made.lock.write_text(json.dumps(data, indent=2))

    return fault


def cut_lock(made: Bench) -> None:
    made.lock.write_bytes(made.lock.read_bytes()[:-30])


def folder(name: str) -> Callable[[Bench], object]:
    """A folder is where a file should be."""

    def fault(made: Bench) -> None:
        (made.root / name).unlink(missing_ok=True)
        (made.root / name).mkdir(parents=True)

    return fault


def report(name: str, content: str | bytes) -> Callable[[Bench], object]:
    return lambda made: made.write(f"reports/{name}", content)


def replaced(made: Bench, answer: Answer) -> None:
    assert json.loads((made.reports / "latest.json").read_text()) == answer.report


def history_grows(made: Bench, _: Answer) -> None:
    last = (made.reports / "history.jsonl").read_bytes().splitlines()[-1]
    assert json.loads(last)["outcome"] == "compatible"


def _integrity(upstream: Any) -> None:
    upstream["packages"]["@acme/plugin"]["integrity"] = "sha512-" + "A" * 86 + "=="


def _another(made: Bench) -> None:
    data = json.loads(made.lock.read_text())
    data["upstreams"]["other"] = data["upstreams"]["acme"]
    made.lock.write_text(json.dumps(data))


BOMB = "version: 1\na: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [*{before},*{before},*{before},*{before},*{before},*{before},*{before}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
WAIVER = "waivers:\n  - {rule: RULE, address: 'tag:**', reason: seen, expires: 2099-01-01}\nupstreams:"

CASES = [
    Case("no watchlist", lambda b: (b.root / "watchlist.yaml").unlink(), "there is no such file", "driftwatch init", 2),
    Case("watchlist is a folder", folder("watchlist.yaml"), "is a folder", "name the watchlist.yaml in it", 2),
    Case("watchlist is empty", watchlist(), "the file is empty", "version: 1", 2),
    Case("watchlist is binary", watchlist(new=b"\x00\xff\xfe" * 99), "watchlist.yaml.*not", ".", 2),
    Case("watchlist is huge", watchlist(new="# \n" * 500_000), "larger than 1024 KiB", "a short file", 2),
    Case(
        "watchlist in conflict", watchlist("version: 1", "<<<<<<< ours\nversion: 1"), ":1:1: .*merge conflict", "keep one side", 2
    ),
    Case("watchlist with a tab", watchlist("    packages", "\tpackages"), ":6:1: .*indented with a tab", "indent with spaces", 2),
    Case("watchlist with a twin key", watchlist("registry:", "version: 1\nregistry:"), "is there twice", "keep one", 2),
    Case(
        "watchlist with an unknown key",
        watchlist("    watch:", "    wacth:"),
        ":7:5: unknown key 'wacth'",
        "did you mean 'watch'",
        2,
    ),
    Case("watchlist of another kind", watchlist(new="- a\n- b\n"), "is a list, not a mapping", "version: 1", 2),
    Case("watchlist with a wrong type", watchlist('["@acme/plugin"]', "7"), ":6:15: .*packages must be a list", ".", 2),
    Case("watchlist that runs code", watchlist("ours", "!!python/object/apply:os.system [id]"), "not understood here", ".", 2),
    Case("watchlist bomb", watchlist(new=BOMB), "more than 50000 values", "aliases count in full", 2),
    Case("watchlist of two documents", watchlist("project:", "---\nproject:"), "a second document", "one document", 2),
    Case("watchlist with a bad address", watchlist("manifest:@", "manifst:@"), ":1[0-9]:9: .*manifst", "did you mean", 2),
    Case("waiver of an unknown rule", watchlist("upstreams:", WAIVER.replace("RULE", "tag-movd")), "tag-movd", "did you mean", 2),
    Case("registry that is none", watchlist("registry: ", "registry: x"), "not an http", ".", 2),
    Case("no accepted version", lambda b: b.lock.write_text('{"version": 1, "upstreams": {}}'), "no accepted version", MADE, 2),
    # the lock
    Case("lock cut off", cut_lock, "watchlist.lock:\\d+:.*cut off", RESTORE, 2),
    Case("lock empty", lock(""), "the file is empty", RESTORE, 2),
    Case("lock in conflict", lock('{\n<<<<<<< ours\n"version": 1'), "watchlist.lock:2:1: .*merge conflict", RESTORE, 2),
    Case("lock not JSON", lock("version: 1\n"), "this is not JSON", RESTORE, 2),
    Case("lock not UTF-8", lock(b'{"version": 1, "x": "\xff"}'), "not UTF-8", RESTORE, 2),
    Case("lock of a newer driftwatch", lock('{"version": 99, "upstreams": {}}'), "by a newer driftwatch: version 99", RESTORE, 2),
    Case("lock is a list", lock("[]"), "must be a mapping", RESTORE, 2),
    Case("lock with an unknown key", locked(lambda u: u.update(fats={})), "fats is not a key", RESTORE, 2),
    Case("lock with a twin key", lock('{"version": 1, "version": 1, "upstreams": {}}'), "is there twice", RESTORE, 2),
    Case("lock with a number for a version", locked(lambda u: u.update(version=1)), "version must be text", RESTORE, 2),
    Case("lock with NaN", lock('{"version": NaN}'), "NaN is not a JSON number", RESTORE, 2),
    Case("lock nested without end", lock("[" * 100_000), "not JSON", RESTORE, 2),
    Case("lock is a folder", folder("watchlist.lock"), "not a regular file", "move it away", 2),
    Case("lock broken, by poll", cut_lock, "cut off", RESTORE, 2, run="poll"),
    Case("lock broken, by accept", cut_lock, "cut off", RESTORE, 2, run="accept"),
    Case(
        "lock of a commit that never was", locked(lambda u: u.update(commit="0" * 39 + "1")), "not our ref|not a commit", on="git"
    ),
    Case("lock of a version that never was", locked(lambda u: u.update(version="1.0.5")), "no tag v1.0.5", ".", on="git"),
    Case("lock with another integrity", locked(_integrity), "integrity", ".", 10),
    Case("lock of other upstreams too", _another, exit=0),
    # what the last look saw, and what runs left
    Case("last look cut off", report("observed.json", '{"version": 1, "upst'), "observed.json:1:.*cut off", DELETE, 2),
    Case("last look empty", report("observed.json", ""), "the file is empty", DELETE, 2),
    Case("last look of a newer driftwatch", report("observed.json", '{"version": 2}'), "by a newer driftwatch", DELETE, 2),
    Case("last look of wrong types", report("observed.json", '{"version": 1, "upstreams": 7}'), "must be a mapping", DELETE, 2),
    Case("last look is a folder", folder("reports/observed.json"), "not a regular file", "move it away", 2),
    Case("last look broken, by poll", report("observed.json", "{"), "cut off", DELETE, 2, run="poll"),
    Case("history torn", report("history.jsonl", '{"at": "2026'), exit=0, then=history_grows),
    Case("history is binary", report("history.jsonl", b"\xff\xfe" * 99), exit=0, then=history_grows),
    Case("history is a folder", folder("reports/history.jsonl"), "cannot read .*history.jsonl", "make it readable", 2),
    Case("last report cut off", report("latest.json", '{"schema_version": 1, "upst'), exit=0, then=replaced),
    Case("last report binary", report("latest.json", b"\xff\xfe\x00"), exit=0, then=replaced),
    Case("last report nested without end", report("latest.json", '{"a":' * 100_000), exit=0, then=replaced),
    Case("last report of another schema", report("latest.json", '{"schema_version": 9, "upstreams": []}'), exit=0, then=replaced),
    Case("last report of wrong types", report("latest.json", '{"schema_version":1,"upstreams":[7]}'), exit=0, then=replaced),
    Case("last report is a folder", folder("reports/latest.json"), "cannot write .*latest.json", "writable", 2),
    Case("last page is a folder", folder("reports/latest.html"), "cannot write .*latest.html", "writable", 2),
    Case(
        "reports is a file", lambda b: b.write("reports", "x"), "a file is where its folder should be", "move that file away", 2
    ),
]
