"""The programs the declarations are read and proven with: a JavaScript runtime, the compiler's API, the native compiler.

All come as packages, pinned by version and integrity in ``engine/pins.json``, and live unpacked by content in the cache.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from driftwatch.errors import Unobservable
from driftwatch.progress import SILENT, Progress


class Tarballs(Protocol):
    """What is needed of a registry to get a pinned package."""

    def tarball(self, name: str, version: str, integrity: str = "") -> Path: ...


@dataclass(frozen=True, slots=True)
class Pin:
    """One package, exactly: the integrity is SRI."""

    name: str
    version: str
    integrity: str

    @property
    def folder(self) -> str:
        algorithm, _, digest = self.integrity.partition("-")
        return f"{algorithm}-{base64.b64decode(digest).hex()[:40]}"


@dataclass(frozen=True, slots=True)
class Engine:
    """``runtime`` runs JavaScript, ``compiler`` is the folder of the TypeScript package, ``note`` says what stands in."""

    runtime: Path
    compiler: Path
    note: str = ""


def engine_folder() -> Path:
    return Path(__file__).with_name("engine")


@cache
def pins() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((engine_folder() / "pins.json").read_text("utf-8"))
    return loaded


@cache
def version() -> str:
    """Changes when anything changes that could give other facts: our engine's text and the compiler's version."""
    digest = hashlib.sha256(json.dumps(pins()["compiler"]).encode())
    for file in sorted(engine_folder().glob("*.mjs")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def pin(kind: str, key: str = "") -> Pin | None:
    row = pins()[kind][key] if key and key in pins()[kind] else None if key else pins()[kind]
    return Pin(**row) if row else None


def engine(registry: Tarballs, cache: Path, progress: Progress = SILENT) -> Engine:
    """What reads declarations on this machine. Node on the PATH stands in where the pinned runtime is not to be had.

    Raises Unobservable when there is neither, with the reason.
    """
    compiler = pin("compiler")
    assert compiler is not None
    folder = unpacked(compiler, registry, cache, _is_compiler, progress)
    try:
        return Engine(_runtime(registry, cache, progress), folder)
    except Unobservable as error:
        import shutil

        node = shutil.which("node")
        if node is None:
            raise
        return Engine(Path(node), folder, f"Node.js on the PATH reads the declarations: {error.message}")


def prover(registry: Tarballs, cache: Path, progress: Progress = SILENT) -> Path:
    """The native compiler's executable. Raises Unobservable where there is none for this machine."""
    wanted = pin("prover", platform_key())
    if wanted is None:
        raise Unobservable(f"there is no native TypeScript compiler for {platform_key()}", "type changes stay `likely`")
    return _executable(unpacked(wanted, registry, cache, lambda _: True, progress) / "lib" / "tsc")


def _runtime(registry: Tarballs, cache: Path, progress: Progress) -> Path:
    for key in _runtime_keys():
        if wanted := pin("runtime", key):
            return _executable(unpacked(wanted, registry, cache, lambda path: path == "bin/bun", progress) / "bin" / "bun")
    raise Unobservable(f"there is no pinned JavaScript runtime for {platform_key()}", "install Node.js 20 or newer")


def _executable(path: Path) -> Path:
    if not path.is_file():
        raise Unobservable(f"a pinned package does not hold {path.name}")
    if not os.access(path, os.X_OK):
        path.chmod(0o755)
    return path


def unpacked(wanted: Pin, registry: Tarballs, cache: Path, member: Callable[[str], bool], progress: Progress) -> Path:
    """The folder of a pinned package; the registry is asked only when it is not there."""
    from driftwatch.observe.sources import archive

    target = cache / "typescript" / "tools" / wanted.folder
    if not target.is_dir():
        tarball = registry.tarball(wanted.name, wanted.version, wanted.integrity)
        with progress.task(f"unpacking {wanted.name} {wanted.version}"):
            archive.extract(tarball, target, wanted=member)
    return target


def _is_compiler(path: str) -> bool:
    return path == "package.json" or (path.startswith("lib/") and (path.endswith(".d.ts") or path == "lib/typescript.js"))


def _runtime_keys() -> tuple[str, ...]:
    key = platform_key()
    plain = key if _fast_cpu() else f"{key}-baseline"
    return (plain,)


def platform_key() -> str:
    """Such as ``linux-x64``, ``linux-arm64-musl``, ``darwin-arm64``."""
    import platform
    import sys

    system = "linux" if sys.platform.startswith("linux") else sys.platform
    name = platform.machine().lower()
    arch = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(name, name)
    musl = system == "linux" and any(Path("/lib").glob("ld-musl-*")) and platform.libc_ver()[0] != "glibc"
    return f"{system}-{arch}" + ("-musl" if musl else "")


def _fast_cpu() -> bool:
    """Whether the CPU has AVX2. Where it cannot be told the answer is no: the baseline build runs everywhere."""
    if "x64" not in platform_key():
        return True
    try:
        return "avx2" in Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False
