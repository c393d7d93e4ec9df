"""Real hosts: what one is (``driver``), how each kind is had and booted, and the model they talk to (``model``)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from driftwatch.errors import UsageError
from driftwatch.observe.hosts.driver import Answer, Binary, Driver, Host, HostError, Setting, Tarballs

__all__ = ["DRIVERS", "Answer", "Binary", "Driver", "Host", "HostError", "Setting", "Tarballs", "driver", "drivers"]

DRIVERS: Mapping[str, str] = {"opencode": "driftwatch.observe.hosts.opencode:OpenCode"}


def driver(name: str) -> Driver:
    """The driver for a kind of host, such as ``opencode``. Raises UsageError, naming those there are."""
    try:
        module, _, attribute = DRIVERS[name].partition(":")
    except KeyError:
        raise UsageError(f"there is no host driver {name!r}", f"known drivers: {', '.join(sorted(DRIVERS))}") from None
    return cast(Driver, getattr(import_module(module), attribute)())


def drivers() -> tuple[str, ...]:
    """The kinds of host there are."""
    return tuple(sorted(DRIVERS))
