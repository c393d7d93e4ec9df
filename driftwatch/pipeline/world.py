"""The doors to the outside that one job opens: the registry and the git mirrors. Opened when first used, closed together."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.pipeline.settings import Settings

if TYPE_CHECKING:
    from driftwatch.config.model import GitRepository, Watchlist
    from driftwatch.observe.sources.git import Mirror
    from driftwatch.observe.sources.npm import Registry


class World:
    """A context manager. ``root`` is the folder whose .npmrc counts and from which relative paths start; ``registry`` beats
    the default one of npm's configuration."""

    def __init__(self, settings: Settings, root: Path, registry: str = "") -> None:
        self.settings, self.root = settings, root
        self._registry = registry
        self._stack = ExitStack()
        self._mirrors: dict[str, Mirror] = {}

    @classmethod
    def of(cls, watchlist: Watchlist, settings: Settings) -> World:
        return cls(settings, watchlist.root, watchlist.registry or "")

    def __enter__(self) -> World:
        from driftwatch.observe.sources.cache import sweep

        sweep(self.settings.cache)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and "registry" in self.__dict__:
            self.registry.http.stop()  # what is still being fetched is not wanted any more
        self._stack.close()

    @cached_property
    def registry(self) -> Registry:
        """Raises Unobservable when no registry is configured."""
        from driftwatch.observe.sources.npm import Registry, configure

        config = configure(self.root, self.settings.cache, self._registry)
        return self._stack.enter_context(
            Registry(config, self.settings.cache, self.settings.offline, self.settings.progress, jobs=self.settings.jobs * 4)
        )

    def mirror(self, git: GitRepository) -> Mirror:
        from driftwatch.observe.sources.git import Mirror

        url = git.location(self.root)
        if url not in self._mirrors:
            self._mirrors[url] = Mirror(url, self.settings.cache, offline=self.settings.offline, progress=self.settings.progress)
        return self._mirrors[url]
