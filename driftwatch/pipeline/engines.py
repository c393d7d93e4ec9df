"""Who does the units of work: threads of this process (each boots its host), or an engine that spreads them over machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Protocol

from driftwatch.errors import UsageError
from driftwatch.pipeline.work import Work, do, do_elsewhere
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.pipeline.behaviour import Rows

KNOWN = "threads, dask, dask://HOST:PORT"
ANSWERS_IN = "20s"


class Engine(Protocol):
    """``workers``: how many units it does at once."""

    workers: int

    def all(self, units: Sequence[Work]) -> list[Rows]:
        """The rows of every unit, in their order. Each answer is kept where it was made as soon as it is certain."""


class Here:
    """Threads of this process: as many hosts at once as there are jobs."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.workers = max(1, world.settings.jobs)

    def all(self, units: Sequence[Work]) -> list[Rows]:
        from driftwatch.observe.ending import ending

        pool = ThreadPoolExecutor(self.workers)
        seats = BoundedSemaphore(self.workers)
        futures = [pool.submit(do, unit, self._world, seats) for unit in units]
        try:
            return [future.result() for future in futures]
        except BaseException:  # an interrupt: nobody waits for hosts any more
            with ending():
                pool.shutdown(cancel_futures=True)
            raise
        finally:
            pool.shutdown()


class There:
    """Anything with the interface of ``concurrent.futures``: the units travel, and the rows come back."""

    def __init__(self, executor: Executor, workers: int, world: World) -> None:
        self._executor, self.workers, self._world = executor, max(1, workers), world

    def all(self, units: Sequence[Work]) -> list[Rows]:
        settings, root = self._world.settings, str(self._world.root.resolve())
        cache = str(settings.cache.resolve())
        with settings.progress.task("probing elsewhere", len(units)) as task:
            futures: list[Future[Rows]] = []
            for unit in units:
                future = self._executor.submit(do_elsewhere, unit, cache, root, settings.offline)
                future.add_done_callback(lambda _: task.advance())
                futures.append(future)
            try:
                return [future.result() for future in futures]
            except BaseException:
                for future in futures:
                    future.cancel()
                raise


@contextmanager
def engine(name: str, world: World) -> Iterator[Engine]:
    """The engine of that name: ``threads``; ``dask`` starts workers on this machine for as long as the ``with`` lasts,
    ``dask://HOST:PORT`` uses a scheduler that runs. Raises UsageError."""
    if name in ("", "threads"):
        yield Here(world)
    elif name == "dask" or name.startswith("dask://"):
        with _dask(name.removeprefix("dask").removeprefix("://"), world) as made:
            yield made
    else:
        raise UsageError(f"there is no executor {name!r}", f"there are: {KNOWN}")


@contextmanager
def _dask(address: str, world: World) -> Iterator[Engine]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UsageError(f"the executor dask is not installed ({error.name})", "pip install 'driftwatch[dask]'") from None
    with ExitStack() as stack:
        try:
            place = f"tcp://{address}"
            if not address:
                place = stack.enter_context(
                    LocalCluster(n_workers=world.settings.jobs, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
                )
            client = stack.enter_context(Client(place, timeout=ANSWERS_IN, set_as_default=False))
        except (OSError, ValueError) as error:
            reason = str(error) or type(error).__name__
            raise UsageError(f"no dask scheduler answers at {address}: {reason}", "start one with `dask scheduler`") from None
        workers = sum(client.nthreads().values())
        if not workers:
            raise UsageError(f"the dask scheduler at {address} has no workers", "start some with `dask worker HOST:PORT`")
        # Not pure: the same unit asked twice, as an A/A run does, is two runs.
        yield There(client.get_executor(pure=False), workers, world)
