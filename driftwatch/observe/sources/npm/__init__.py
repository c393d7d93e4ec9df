"""npm registries: ``configure`` reads npm's own configuration, ``Registry`` reads packages."""

from driftwatch.observe.sources.npm.ask import configure
from driftwatch.observe.sources.npm.npmrc import NpmConfig
from driftwatch.observe.sources.npm.packument import Packument, VersionInfo
from driftwatch.observe.sources.npm.registry import Registry

__all__ = ["NpmConfig", "Packument", "Registry", "VersionInfo", "configure"]
