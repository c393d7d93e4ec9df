"""What is downloaded is not what was promised, or tries something: the plugin's package and the host's."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable
from dataclasses import replace

from tests.faults.bench import HOST, NEW, PLUGIN, SOURCE, Answer, Bench, Case, tgz
from tests.support.fault_registry import Reply

UNUSED = "nothing of it was used"
GOOD = {PLUGIN: tgz({"src/index.ts": SOURCE.encode()}), HOST: tgz({"bin/opencode": b"#!/bin/sh\n"}, mode=0o755)}


def holding(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    """A tarball of one entry."""
    entry, buffer = tarfile.TarInfo(name), io.BytesIO()
    entry.type, entry.linkname = kind, target
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(entry)
    return gzip.compress(buffer.getvalue(), 1, mtime=0)


def served(data: bytes | Callable[[str], bytes], *, promise: bool = True) -> Callable[[Bench], None]:
    """The newest tarball is ``data``, and so the registry promises (or it still promises the right one)."""

    def fault(made: Bench) -> None:
        name = _which(made)
        made.tarball(data if isinstance(data, bytes) else data(name), name=name, promise=promise)

    return fault


def answered(reply: Reply) -> Callable[[Bench], None]:
    return lambda made: made.registry.always(_path(made), reply)


def promised(**changes: str | None) -> Callable[[Bench], None]:
    """``dist`` with these keys changed, or taken away."""

    def fault(made: Bench) -> None:
        dist = made.registry.packages[_which(made)]["versions"][NEW]["dist"]
        for key, value in changes.items():
            dist.pop(key) if value is None else dist.__setitem__(key, value)

    return fault


def _which(made: Bench) -> str:
    return HOST if made.kind == "host" else PLUGIN


def _path(made: Bench) -> str:
    name = _which(made)
    return f"/{name}/-/{name.rpartition('/')[2]}-{NEW}.tgz"


def bomb() -> bytes:
    """A tarball of 60 MB of nothing, 300 times smaller."""
    entry, buffer = tarfile.TarInfo("package/src/index.ts"), io.BytesIO()
    entry.size = 60_000_000
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=6, mtime=0) as packed:
        packed.write(entry.tobuf())
        packed.write(bytes(entry.size))
    return buffer.getvalue()


def nothing_escaped(made: Bench, _: Answer) -> None:
    assert not list(made.root.parent.rglob("evil*"))


def elsewhere(made: Bench) -> None:
    """The packument's link to the tarball leads to another host: its bytes may be fine, our token is not for it."""
    from tests.faults.registry import _never_told
    from tests.support.fault_registry import FaultRegistry

    other = made.enter(FaultRegistry())
    other._tarballs = made.registry._tarballs
    dist = made.registry.packages[_which(made)]["versions"][NEW]["dist"]
    dist["tarball"] = dist["tarball"].replace(made.registry.url, other.url)
    made.stack.callback(lambda: _never_told(other))


BOTH = [
    Case("tampered", served(lambda name: GOOD[name], promise=False), "is not what the registry promised", "nothing of it"),
    Case("no integrity at all", promised(integrity=None, shasum=None), "promises no integrity", "."),
    Case("integrity that cannot be read", promised(integrity="md5-AAAA", shasum=None), "integrity", "."),
    Case("404", answered(Reply(404)), "is not on the registry .HTTP 404", "look at the name"),
    Case("cut short on the wire", answered(Reply(body=GOOD[PLUGIN], cut=30)), "cut short", "try again"),
    Case("a web page", answered(Reply(body=b"<html>sign in</html>")), "is not what the registry promised", "nothing of it"),
    Case("link to a file", promised(tarball="file:///etc/passwd"), "link to the tarball", "driftwatch doctor"),
    Case("link with a password", promised(tarball="http://me:pw@127.0.0.1:9/x.tgz"), "link to the tarball", "doctor"),
    Case("not gzip", served(b"PK\x03\x04 a zip"), "not a whole gzip file", UNUSED),
    Case("truncated", served(lambda name: GOOD[name][:60]), "cut short|not a whole gzip", UNUSED),
    Case("empty", served(b""), "cut short", UNUSED),
    Case("traversal", served(holding("package/../../evil")), "a path that leads elsewhere", UNUSED, then=nothing_escaped),
    Case("absolute path", served(holding("/tmp/evil")), "a path that leads elsewhere", UNUSED),
    Case("symbolic link", served(holding("package/a", tarfile.SYMTYPE, "/etc")), "symbolic link", UNUSED),
    Case("hard link", served(holding("package/a", tarfile.LNKTYPE, "package/b")), "hard link", UNUSED),
    Case("device", served(holding("package/a", tarfile.CHRTYPE)), "device", UNUSED),
    Case("hostile file name", served(holding("package/\x1b[2Jevil")), "a path that leads elsewhere", UNUSED),
    Case("bomb", served(lambda _: bomb()), "unpacks to more than 200 times its size", UNUSED),
]

CASES = [
    *(replace(case, on="package") for case in BOTH),
    *(replace(case, name=f"host: {case.name}", on="host", slow=True) for case in BOTH),
    Case("package without the file", served(tgz({"package.json": b"{}"})), "does not carry it", "add `git:`", on="package"),
    Case("sha1 only", promised(integrity=None), exit=0, on="package"),
    Case("tarball on another host", elsewhere, exit=0, on="package"),
    Case("host: sha1 only", promised(integrity=None), exit=0, on="host"),
    Case("host: no binary in it", served(tgz({"README.md": b"x"})), "holds no bin/opencode", "lay its package out", on="host"),
    Case("host: binary not executable", served(tgz({"bin/opencode": b"\x7fELF nonsense"})), "cannot start", ".", on="host"),
    Case("host: binary for another machine", served(tgz({"bin/opencode": b"\xcf\xfa\xed\xfe"})), "cannot start", ".", on="host"),
    Case("host: not published", lambda b: b.registry.packages[HOST]["versions"].pop(NEW), "not published", ".", on="host"),
    Case("host: package unknown", lambda b: b.registry.packages.pop(HOST), "HTTP 404", "look at the name", on="host"),
]
