"""How long a warm poll of many packages takes, beside nvchecker, against one loopback registry in one run.

    python bench/poll.py [--packages 200] [--runs 7] [--nvchecker 2.22]

Three whole processes with nothing new to find, turn by turn: ``command`` is ``driftwatch poll -q`` on a generated watchlist,
judged and written like any other; ``library`` is the call beneath it; the third is nvchecker. driftwatch revalidates every
package (ETag, 304) and has every dist-tag and every version in hand at the end; nvchecker asks for the first kilobyte and
reads `latest` by a regular expression. nvchecker is installed into a scratch environment that is removed at the end. Prints
JSON: medians and all figures, in seconds; ``cpu`` is user and system time, which a busy machine disturbs less.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import multiprocessing
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

TAGS = ("latest", "beta", "next", "dev")
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
    tags = dict(zip(TAGS, (listed[-1], listed[-2], listed[-3], listed[0]), strict=True))
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


class Sample(NamedTuple):
    seconds: float
    cpu: float
    said: str


def measured(command: list[str], cwd: Path, env: dict[str, str]) -> Sample:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=True)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Sample(round(seconds, 3), round(cpu, 3), done.stdout.strip() or done.stderr.strip())


def watchlist(url: str, names: list[str], each: int = 10) -> str:
    """Upstreams of so many packages each."""
    lines = ["version: 1", "project: {name: bench, role: implementer}", f"registry: {url}", "upstreams:"]
    for number, start in enumerate(range(0, len(names), each)):
        lines += [f"  - id: upstream-{number}", f"    packages: [{', '.join(names[start : start + each])}]"]
    return "\n".join(lines) + "\n"


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
    (folder / "watchlist.yaml").write_text(watchlist(url, names))
    commands = {
        "command": [sys.executable, "-m", "driftwatch", "poll", "-q", "--cache", str(folder / "cache of the command")],
        "library": [sys.executable, "poll.py", url, str(folder / "cache"), "names"],
        f"nvchecker {nvchecker}": nvchecker_command(folder, nvchecker, url, names),
    }
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    cold = {name: measured(command, folder, env) for name, command in commands.items()}
    (folder / "old.json").write_bytes((folder / "new.json").read_bytes())  # nothing new to tell, as on our side
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for _ in range(runs):  # turn by turn, so that all meet the same machine
        for name, command in commands.items():
            samples[name].append(measured(command, folder, env))
    _checked(samples, json.loads((folder / "new.json").read_text()), len(names))
    told = {name: _figures(cold[name], several) for name, several in samples.items()}
    return {"packages": len(names), "python": platform.python_version(), **told}


def _checked(samples: dict[str, list[Sample]], seen: dict[str, Any], packages: int) -> None:
    """Nothing is compared that did not read every package."""
    total, read, _ = (int(word) for word in samples["library"][-1].said.split())
    lines = samples["command"][-1].said.splitlines()
    accepted = sum(int(line.split(", ")[1].split()[0]) for line in lines)
    assert accepted == packages * len(TAGS) and all(line.endswith(", 0 not looked at") for line in lines), lines
    assert total == read == packages == len(seen.get("data", seen)), "one of them did not read every package"


def _figures(cold: Sample, warm: list[Sample]) -> dict[str, Any]:
    return {
        "median": statistics.median(sample.seconds for sample in warm),
        "cpu": statistics.median(sample.cpu for sample in warm),
        "cold": cold.seconds,
        "runs": [sample.seconds for sample in warm],
        "cpu of the runs": [sample.cpu for sample in warm],
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
