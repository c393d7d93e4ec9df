"""A place of its own for a host: fresh home and temp, an allow-listed environment, no way out to the network.

The dead proxy keeps an honest host from the network; it is no wall against a hostile one.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from driftwatch.observe.hosts.driver import HostError

NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody listens
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
RIPGREP = "#!/bin/sh\nexit 1\n"  # "nothing found", the same on every machine; without one a host tries to download it


@dataclass(frozen=True, slots=True)
class Rooms:
    home: Path
    config: Path
    data: Path
    cache: Path
    state: Path
    tmp: Path
    bin: Path
    cwd: Path


def rooms(scratch: Path) -> Rooms:
    """Make the folders of one host below its scratch folder."""
    home = scratch / "home"
    made = Rooms(
        home=home,
        config=home / ".config",
        data=home / ".local" / "share",
        cache=home / ".cache",
        state=home / ".local" / "state",
        tmp=scratch / "tmp",
        bin=scratch / "bin",
        cwd=scratch / "empty",
    )
    for name in Rooms.__slots__:
        getattr(made, name).mkdir(parents=True, exist_ok=True)
    ripgrep = made.bin / "rg"
    ripgrep.write_text(RIPGREP, "utf-8")
    ripgrep.chmod(0o755)
    return made


def environment(places: Rooms, extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of the host: nothing of ours is inherited."""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), NOWHERE)
    return {
        "PATH": os.pathsep.join([str(places.bin), *SYSTEM_PATH]),
        "HOME": str(places.home),
        "TMPDIR": str(places.tmp),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "SHELL": "/bin/sh",
        "XDG_CONFIG_HOME": str(places.config),
        "XDG_DATA_HOME": str(places.data),
        "XDG_CACHE_HOME": str(places.cache),
        "XDG_STATE_HOME": str(places.state),
        **proxies,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
        "npm_config_registry": NOWHERE,
        "npm_config_fetch_retries": "0",  # a package that is asked for fails at once instead of after a minute
        **extra,
    }


def place(folder: Path, files: Mapping[str, str]) -> None:
    """Write files below ``folder``. Raises HostError for a path that leads out of it."""
    for name, text in files.items():
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts:
            raise HostError(f"{name!r} leads out of the project folder")
        path = folder / parts
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
