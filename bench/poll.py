"""How long a warm poll of many packages takes, beside nvchecker, against one loopback registry in one run.

    python bench/poll.py [--packages 200] [--runs 7] [--nvchecker 2.22]

Both are whole processes with nothing new to find. driftwatch revalidates every package (ETag, 304) and has every dist-tag and
every version in hand at the end; nvchecker asks for the first kilobyte and reads `latest` by a regular expression. nvchecker
is installed into a scratch environment that is removed at the end. Prints JSON: medians and all figures, in seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

POLL = """
import sys
from pathlib import Path
from driftwatch.observe.facts import tags
from driftwatch.observe.sources.npm import Packument, Registry, configure

url, cache, names = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).read_text().split()
with Registry(configure(cache, cache, url), cache) as registry:
    told = registry.packuments(names)
read = {name: packument for name, packument in told.items() if isinstance(packument, Packument)}
facts = [fact for name, packument in read.items() for fact in tags.observe(name, packument).facts]
print(len(told), len(read), len(facts))
"""


def packument(name: str, versions: int) -> bytes:
    """A body as large and as varied as that of a busy package."""
    listed = [f"1.{number // 20}.{number % 20}" for number in range(versions)]
    manifests: dict[str, Any] = {
        version: {
            "name": name,
            "version": version,
            "type": "module",
            "license": "MIT",
            "scripts": {"typecheck": "tsgo --noEmit", "build": "tsc"},
            "exports": {
                f"./{entry}": {"import": f"./dist/{entry}.js", "types": f"./dist/{entry}.d.ts"} for entry in ("a", "b", "c")
            },
            "dependencies": {f"dependency-{number}": version for number in range(4)},
            "peerDependencies": {f"@scope/peer-{number}": f">={version}" for number in range(3)},
            "_id": f"{name}@{version}",
            "dist": {
                "integrity": "sha512-" + hashlib.sha256(version.encode()).hexdigest() + "A" * 22 + "==",
                "shasum": hashlib.sha1(version.encode()).hexdigest(),
                "tarball": f"http://127.0.0.1/{name}/-/{version}.tgz",
            },
        }
        for version in listed
    }
    tags = {"latest": listed[-1], "beta": listed[-2], "next": listed[-3], "dev": listed[0]}
    time_of = dict.fromkeys(listed, "2026-01-01T00:00:00.000Z")
    document = {"_id": name, "name": name, "dist-tags": tags, "versions": manifests, "time": time_of}
    return json.dumps(document, separators=(",", ":")).encode()


async def _serve(bodies: dict[str, bytes], port: Any, stop: Event) -> None:
    etags = {path: f'"{hashlib.sha256(body).hexdigest()[:20]}"' for path, body in bodies.items()}

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                path = request.split(b" ", 2)[1].decode().lower()
                lower = request.lower()
                body, etag = bodies.get(path), etags.get(path, "")
                if body is None:
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                elif f"if-none-match: {etag}".encode() in lower:
                    writer.write(f"HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n".encode())
                elif b"range: bytes=0-1023" in lower:
                    head = (
                        f"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1023/{len(body)}\r\nContent-Length: 1024\r\n\r\n"
                    )
                    writer.write(head.encode() + body[:1024])
                else:
                    head = f"HTTP/1.1 200 OK\r\nETag: {etag}\r\nContent-Length: {len(body)}\r\n\r\n"
                    writer.write(head.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0)
    port.value = server.sockets[0].getsockname()[1]
    while not stop.is_set():
        await asyncio.sleep(0.1)


def serve(names: list[str], versions: int, port: Any, stop: Event) -> None:
    bodies = {f"/{name}": packument(name, versions) for name in names}
    asyncio.run(_serve(bodies, port, stop))


def measured(command: list[str], runs: int, cwd: Path, env: dict[str, str]) -> tuple[list[float], str]:
    seconds, said = [], ""
    for _ in range(runs):
        started = time.perf_counter()
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=True)
        seconds.append(round(time.perf_counter() - started, 3))
        said = done.stdout.strip() or done.stderr.strip()
    return seconds, said


def nvchecker_command(folder: Path, version: str, url: str, names: list[str]) -> list[str]:
    venv.create(folder / "venv", with_pip=True)
    pip = [str(folder / "venv/bin/pip"), "install", "--quiet", "--disable-pip-version-check", f"nvchecker=={version}"]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    lines = ["[__config__]", 'oldver = "old.json"', 'newver = "new.json"', "[__config__.source.npm]", f'registry = "{url}"']
    lines += [f'["{name}"]\nsource = "npm"\nnpm = "{name}"' for name in names]
    (folder / "nvchecker.toml").write_text("\n".join(lines) + "\n")
    return [str(folder / "venv/bin/nvchecker"), "-c", "nvchecker.toml", "--logger", "json"]


def run(packages: int, versions: int, runs: int, nvchecker: str) -> dict[str, Any]:
    names = [f"package-{number}" for number in range(packages)]
    port, stop = multiprocessing.Value("i", 0), multiprocessing.Event()
    server = multiprocessing.Process(target=serve, args=(names, versions, port, stop), daemon=True)
    server.start()
    try:
        while not port.value:
            time.sleep(0.05)
        url = f"http://127.0.0.1:{port.value}/"
        with tempfile.TemporaryDirectory(prefix="driftwatch-bench-") as temporary:
            return _compared(Path(temporary), url, names, runs, nvchecker)
    finally:
        stop.set()
        server.join(5)


def _compared(folder: Path, url: str, names: list[str], runs: int, nvchecker: str) -> dict[str, Any]:
    (folder / "poll.py").write_text(POLL)
    (folder / "names").write_text("\n".join(names))
    ours = [sys.executable, "poll.py", url, str(folder / "cache"), "names"]
    theirs = nvchecker_command(folder, nvchecker, url, names)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    (cold,), _ = measured(ours, 1, folder, env)
    measured(theirs, 1, folder, env)
    (folder / "old.json").write_bytes((folder / "new.json").read_bytes())  # nothing new to tell, as on our side
    figures: dict[str, list[float]] = {"driftwatch": [], "nvchecker": []}
    said = {}
    for _ in range(runs):  # turn by turn, so that both meet the same machine
        for name, command in (("driftwatch", ours), ("nvchecker", theirs)):
            seconds, said[name] = measured(command, 1, folder, env)
            figures[name] += seconds
    seen = json.loads((folder / "new.json").read_text())
    total, read, facts = (int(word) for word in said["driftwatch"].split())
    assert total == read == len(names) == len(seen.get("data", seen)), "one of the two did not read every package"
    return {
        "packages": len(names),
        "python": platform.python_version(),
        "driftwatch": {
            "median": statistics.median(figures["driftwatch"]),
            "cold": cold,
            "facts": facts,
            "runs": figures["driftwatch"],
        },
        f"nvchecker {nvchecker}": {
            "median": statistics.median(figures["nvchecker"]),
            "values": len(names),
            "runs": figures["nvchecker"],
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=int, default=200)
    parser.add_argument("--versions", type=int, default=60)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--nvchecker", default="2.22")
    chosen = parser.parse_args()
    print(json.dumps(run(chosen.packages, chosen.versions, chosen.runs, chosen.nvchecker), indent=2))


if __name__ == "__main__":
    main()
