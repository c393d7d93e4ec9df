"""Values and URLs that must not show themselves in messages, logs and files."""

from __future__ import annotations

from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


class Secret:
    """A value that never shows itself: ``repr`` and ``str`` are blank, only ``reveal`` gives it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(...)"


def redact(url: str) -> str:
    """``url`` fit for a message: without user, password, query and fragment (signed links carry secrets there)."""
    try:
        parts = urlsplit(url)
        host = host_of(parts.scheme, parts.hostname or "", parts.port)
    except ValueError:
        return "(an unreadable URL)"
    return f"{parts.scheme}://{host}{parts.path}" if parts.scheme else parts.path


def host_of(scheme: str, host: str, port: int | None) -> str:
    """``host[:port]``, the port only when it is not the scheme's own."""
    host = f"[{host}]" if ":" in host else host
    return host if port is None or port == _DEFAULT_PORTS.get(scheme) else f"{host}:{port}"
