"""Subresource Integrity: which digest a tarball must have. Source: the SRI specification and npm's ``ssri``."""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple

from driftwatch.errors import IntegrityError

_STRENGTH = ("sha512", "sha384", "sha256", "sha1")  # strongest first
_ENTRY = re.compile(r"(sha512|sha384|sha256|sha1)-([A-Za-z0-9+/]+={0,2})(?:\?\S*)?")
_SHASUM = re.compile(r"[0-9a-fA-F]{40}")


def sha1_integrity(shasum: str) -> str:
    """An old registry's ``shasum`` (sha1 in hex) as Subresource Integrity; "" when it is none."""
    return "sha1-" + base64.b64encode(bytes.fromhex(shasum)).decode("ascii") if _SHASUM.fullmatch(shasum) else ""


class Expected(NamedTuple):
    """The digests (hex) of the strongest algorithm a promise names; any one will do. ``weak``: nothing better than sha1."""

    algorithm: str
    digests: tuple[str, ...]

    @property
    def weak(self) -> bool:
        return self.algorithm == "sha1"


def expected(integrity: str, what: str) -> Expected:
    """What ``what``'s bytes must hash to, from an SRI string. A missing or unreadable one is refused: IntegrityError."""
    found: dict[str, list[str]] = {}
    for entry in integrity.split():
        if match := _ENTRY.fullmatch(entry):
            _add(found, match[1], match[2])
    for algorithm in _STRENGTH:
        if algorithm in found:
            return Expected(algorithm, tuple(found[algorithm]))
    if integrity.strip():
        raise IntegrityError(f"the registry's integrity for {what} cannot be read: {integrity[:80]!r}")
    raise IntegrityError(f"the registry promises no integrity for {what}", "without one its bytes are not used")


def _add(found: dict[str, list[str]], algorithm: str, encoded: str) -> None:
    try:
        digest = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return
    if len(digest) * 8 == (160 if algorithm == "sha1" else int(algorithm[3:])):
        found.setdefault(algorithm, []).append(digest.hex())
