"""A run in words that do not depend on where it took place, so that two runs can be compared. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

INSTALLED = re.compile(r"(?:<[a-z]+>)?[^\s\"'`(),;=<>|]*/node_modules/")


def alike(run: Mapping[str, Any]) -> dict[str, Any]:
    """``run`` with every installed package named without where it happens to be: a host keeps them in its cache, the tracer in
    its project."""
    return {key: _alike(value) for key, value in run.items()}


def _alike(value: Any) -> Any:
    if isinstance(value, str):
        return INSTALLED.sub("node_modules/", value) if "/node_modules/" in value else value
    if isinstance(value, list):
        return [_alike(item) for item in value]
    return {key: _alike(item) for key, item in value.items()} if isinstance(value, dict) else value
