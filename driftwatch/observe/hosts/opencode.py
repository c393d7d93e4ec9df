"""The OpenCode host: its packages, how it starts fast and alone, and how its versions differ in that."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path

from driftwatch.observe import process
from driftwatch.observe.hosts import binaries, own, platform
from driftwatch.observe.hosts.driver import Binary, HostError, Setting, Tarballs
from driftwatch.observe.hosts.isolation import environment, free_port, place, rooms
from driftwatch.observe.hosts.memory import LENDING
from driftwatch.observe.hosts.opencode_host import OpenCodeHost, Silent, first_words, last_words
from driftwatch.observe.hosts.starts import STARTS
from driftwatch.progress import Progress

MEMBER = "bin/opencode"
SYSTEMS = {"linux", "darwin"}
ARCHES = {"x64", "arm64"}
LISTENING = re.compile(r"server listening on (http://[\d.:\[\]a-zA-Z]+)")
CLASH = re.compile(r"EADDRINUSE|Is port \d+ in use|address already in use", re.IGNORECASE)
TALKS = "--print-logs"  # 1.x; 2.x refuses the option and takes the variable instead
REFUSED = re.compile(rf"(unrecognized|unknown|invalid|unexpected)\b.{{0,60}}{TALKS}", re.IGNORECASE)
START_IN = 30.0
LAUNCH_IN = 60.0  # a launch command may first have to translate its sources
VARIABLES = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
}
PLAIN_VARIABLES = {"OPENCODE_PRINT_LOGS": "1"}
# The host's runtime collects garbage some forty times a second while memory grows: half of all it computes in a probe. A host
# that lives for a minute can do without where there is memory: half of the library leaves 2.2 to 3.2 GiB, and 5.6 GiB on 1.15.13.
COLLECTS = "BUN_JSC_useGC"
UNKNOWN_VARIABLE = re.compile(r"invalid JSC environment variable")
PER_HOST = 6 * 1024**3
MODELS = "models.json"  # a catalogue of a few models: reading the whole one costs a host a second and more for every project


class OpenCode:
    name = "opencode"
    revision = 5
    documents = ("/doc", "/openapi.json")
    hooks = "ts:@opencode-ai/plugin#Hooks"
    plugin_folder = ".opencode/plugin"  # the plural works from some 1.x on, the singular in all
    usual_line = "1"

    def __init__(self, start_in: float = 0.0) -> None:
        """``start_in``: seconds a host may take to answer; 0 for what is usual."""
        self.start_in = start_in

    def package(self) -> str:
        return package_for(platform.machine())

    def acquire(self, version: str, registry: Tarballs, cache: Path, progress: Progress) -> Binary:
        package = self.package()
        path, integrity = binaries.unpacked(package, version, MEMBER, registry=registry, cache=cache, progress=progress)
        return Binary(path, version, package, integrity)

    def binary_at(self, path: Path) -> Binary:
        return own.executable(path, self.name)

    def launched(self, command: Sequence[str], directory: Path, environment: Sequence[str] = ()) -> Binary:
        return own.launch(command, directory, environment)

    @contextmanager
    def boot(
        self, binary: Binary, *, scratch: Path, setting: Setting | None = None, deadline: float = 300.0
    ) -> Iterator[OpenCodeHost]:
        setting = setting or Setting()
        STARTS.check(binary)
        for attempt in (1, 2, 3):
            with self._start(binary, scratch, setting, deadline) as host:
                try:
                    self._ready(host)
                except HostError as error:
                    said = first_words(host.log)
                    if attempt < 3 and (what := refused(said)) and not STARTS.refuses(binary, what):
                        STARTS.refused(binary, what)
                        continue
                    if attempt < 3 and CLASH.search(said):
                        continue  # somebody took the port between our choice and its start
                    if isinstance(error, Silent):
                        STARTS.silent(binary, error.message)
                    raise
                STARTS.came_up(binary)
                yield host
                return

    @contextmanager
    def _start(self, binary: Binary, root: Path, setting: Setting, deadline: float) -> Iterator[OpenCodeHost]:
        scratch = process.scratch_folder(root)
        host = OpenCodeHost(binary, scratch)
        try:
            places = rooms(scratch)
            host.stub(places.config / "opencode")
            place(places.home, dict(setting.home))
            (scratch / MODELS).write_text(models(), "utf-8")
        except BaseException as error:
            process.remove(scratch)
            if isinstance(error, OSError):
                reason = f"a place for the host can't be made: {error.strerror or error}"
                raise HostError(reason, "free space in the cache folder") from error
            raise
        plain = STARTS.refuses(binary, TALKS)
        ours = {**VARIABLES, "OPENCODE_MODELS_PATH": str(scratch / MODELS), **(PLAIN_VARIABLES if plain else {})}
        argv = [*binary.words, "serve", "--port", str(free_port()), "--hostname", "127.0.0.1", *([] if plain else [TALKS])]
        cwd = binary.directory or places.cwd
        wanted = PER_HOST if setting.quick and not STARTS.refuses(binary, COLLECTS) else 0
        with LENDING.borrowed(wanted) as granted:
            if wanted and granted:
                ours[COLLECTS] = "0"
            env = environment(places, {**own.handed_on(binary), **ours, **dict(setting.env)})
            host.knows_password(env)
            with process.start(argv, cwd=cwd, env=env, output=host.log, deadline=deadline, scratch=scratch) as child:
                host.child = child
                yield host

    def _ready(self, host: OpenCodeHost) -> None:
        """Until it says where it listens and answers there. Raises HostError with what it said instead."""
        patience = self.start_in or (LAUNCH_IN if host.binary.command else START_IN) * platform.strain()
        until = time.monotonic() + patience
        found = None
        while found is None:
            found = LISTENING.search(first_words(host.log))
            if found is None and not host.alive():
                raise HostError(f"the host {host.child.reason} before it listened{last_words(host.log)}")
            if found is None and time.monotonic() > until:
                raise Silent(f"the host did not listen within {patience:g} s{last_words(host.log)}")
            if found is None:
                time.sleep(0.02)
        host.listens_at(found.group(1))
        try:
            host.greet(max(1.0, until - time.monotonic()))
        except TimeoutError as error:
            raise Silent(f"the host listens but gives {error}{last_words(host.log)}") from None


def refused(said: str) -> str:
    """What a host that did not start says it does not know, of what it can do without. "" when it says nothing of the kind."""
    if REFUSED.search(said):
        return TALKS
    return COLLECTS if UNKNOWN_VARIABLE.search(said) else ""


@cache
def models() -> str:
    """The catalogue of models a host is given instead of its own: the providers that plugins log in to, a model or two each."""
    return files(__package__).joinpath("profiles").joinpath("opencode-models.json").read_text("utf-8")


def package_for(machine: platform.Machine) -> str:
    """The npm package with the binary for a machine. Raises HostError where none is published."""
    if machine.system not in SYSTEMS or machine.arch not in ARCHES:
        raise HostError(
            f"no OpenCode binary is published for {machine}",
            "run on Linux or macOS (x64, arm64), or give an executable of your own",
        )
    baseline = "" if machine.avx2 or machine.arch != "x64" else "-baseline"
    return f"opencode-{machine.system}-{machine.arch}{baseline}{'-musl' if machine.musl else ''}"
