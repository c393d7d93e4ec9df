"""The cache holds something else than was put there: cut, emptied, flipped, replaced. It must be as if it were not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.faults.bench import Answer, Bench, Case


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[len(data) // 2] ^= 1
    path.write_bytes(data)


def rubbish(path: Path) -> None:
    path.write_bytes(b"\x00\xff rubbish \n" * 40)


def as_json(path: Path) -> None:
    path.write_bytes(b'{"version": 1, "outcome": "holds"}')


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def as_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nowhere/at/all")


def gone(path: Path) -> None:
    path.unlink()


DAMAGES = {
    "emptied": emptied,
    "cut": cut,
    "flipped": flipped,
    "rubbish": rubbish,
    "JSON": as_json,
    "a folder": as_folder,
    "a dangling link": as_link,
    "gone": gone,
}
PLACES = {
    "packuments": "documents/packuments/*",
    "bodies": "blobs/sha256/*/*",
    "tarballs": "blobs/sha512/*/*",
    "probe answers": "documents/probes/*",
    "host binaries": "hosts/*/bin/*",
    "what was unpacked": "documents/hosts/*",
    "git packs": "git/*/objects/pack/*.pack",
    "git indexes": "git/*/objects/pack/*.idx",
    "git heads": "git/*/HEAD",
    "git config": "git/*/config",
    "git refs": "git/*/refs/driftwatch/*",
    "git shallow": "git/*/shallow",
    "git tags": "git/*/driftwatch-tags.json",
}


def damaged(place: str, damage: Callable[[Path], None]) -> Callable[[Bench], None]:
    """After an undisturbed run every file of a place in the cache is damaged."""

    def fault(made: Bench) -> None:
        found = [path for path in made.cache.glob(place) if path.is_file()]
        assert found, place
        for path in found:
            path.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
            damage(path)

    return fault


def table() -> Iterator[Case]:
    for what, place in PLACES.items():
        for how, damage in DAMAGES.items():
            stuck = damage is as_folder and (
                "git/" not in place or "tags" in place
            )  # nothing can take its place: asked for every time
            yield Case(
                f"{what} {how}",
                damaged(place, damage),
                exit=0,
                on="all",
                warm=True,
                then=None if stuck else same,
                slow=True,
            )


def same(made: Bench, answer: Answer) -> None:
    """The damage is repaired, too: a second look is as quick as ever."""
    again = made.run("run", "--format", "json", "--offline")
    assert again.report["upstreams"] == answer.report["upstreams"]


def locks_left(made: Bench) -> None:
    """What a killed git leaves in the mirror."""
    [mirror] = [path for path in (made.cache / "git").iterdir() if path.is_dir()]
    for name in ("config.lock", "shallow.lock", "HEAD.lock", "refs/driftwatch/x.lock", "objects/pack/tmp_pack_abc"):
        (mirror / name).write_bytes(b"")


def half_a_mirror(made: Bench) -> None:
    [mirror] = [path for path in (made.cache / "git").iterdir() if path.is_dir()]
    shutil.rmtree(mirror)
    (mirror / "objects").mkdir(parents=True)


def half_a_host(made: Bench) -> None:
    for folder in (made.cache / "hosts").glob("*/bin"):
        shutil.rmtree(folder)
    shutil.rmtree(made.cache / "documents" / "probes")


CASES = [
    *table(),
    Case("git locks left", locks_left, exit=0, on="all", warm=True, then=same),
    Case("half a mirror", half_a_mirror, exit=0, on="all", warm=True, then=same, slow=True),
    Case("hosts half unpacked", half_a_host, exit=0, on="all", warm=True, then=same, slow=True),
]
