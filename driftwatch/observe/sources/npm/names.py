"""Package names: which are real, and how they stand in a URL. Source: npm's ``validate-npm-package-name``."""

from __future__ import annotations

import re

from driftwatch.errors import Unobservable

_NAME = re.compile(r"(?:@[a-zA-Z0-9~-][a-zA-Z0-9._~-]*/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]*")


def check(name: str) -> str:
    """``name`` itself when npm could hold it (old upper-case names too), else Unobservable."""
    if len(name) > 214 or not _NAME.fullmatch(name) or name.lower() in ("node_modules", "favicon.ico"):
        raise Unobservable(f"{name[:80]!r} is not a package name", "names look like left-pad or @scope/name")
    return name


def encode(name: str) -> str:
    """The name as one segment of a URL path: ``@scope%2fname``."""
    return check(name).replace("/", "%2f")
