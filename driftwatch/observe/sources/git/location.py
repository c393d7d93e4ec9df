"""What a user wrote as "the git repository": checked, so that it can only ever be a repository and never an option,
a command or a remote helper."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from driftwatch.errors import Unobservable

SCHEMES = ("https", "http", "ssh", "git+ssh", "ssh+git", "git", "file")
# What git itself may speak, whatever a user's url.*.insteadOf makes of the address.
PROTOCOLS = "file:git:http:https:ssh"

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # a commit by its whole id

_SECRET = re.compile(r"(://)[^/@\s'\"]+@")
_PARAMETER = re.compile(r"((?:access_|private_|api_)?(?:token|password|secret|key)=)[^&\s'\"]+", re.IGNORECASE)
_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ACCEPTED = "write an https, ssh, git or file address, user@host:path, or a local path"


@dataclass(frozen=True, slots=True)
class Location:
    """``address`` is what git is given; ``shown`` is the same without credentials; ``local`` needs no network."""

    address: str
    shown: str
    local: bool

    @property
    def key(self) -> str:
        """The name of the mirror in the cache. Credentials are not part of it, so a new token keeps the mirror."""
        return hashlib.sha256(self.shown.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def redact(text: str) -> str:
    """``text`` without the user, password or token of any address in it."""
    return _PARAMETER.sub(r"\1***", _SECRET.sub(r"\1***@", text))


def locate(url: str) -> Location:
    """The Location of a repository address or path. Raises Unobservable when it is neither."""
    text = url.strip()
    if not text:
        raise Unobservable("the git address is empty", _ACCEPTED)
    if _CONTROL.search(text):
        raise Unobservable(f"the git address {redact(text)!r} holds control characters", _ACCEPTED)
    if text.startswith("-"):
        raise Unobservable(f"the git address {text!r} looks like an option", f"put ./ before a path; {_ACCEPTED}")
    if _HELPER.match(text):
        raise Unobservable(f"the git address {redact(text)!r} names a remote helper, which may run commands", _ACCEPTED)
    scheme, separator, rest = text.partition("://")
    if separator:
        return _remote(scheme.lower(), rest, text)
    host, colon, path = text.partition(":")
    if colon and "/" not in host:  # git's own test for user@host:path
        return _scp(host, path, text)
    place = str(Path(os.path.expanduser(text)).absolute())  # noqa: PTH111
    return Location(place, place, local=True)


def _remote(scheme: str, rest: str, text: str) -> Location:
    if scheme in ("git+https", "git+http", "git+file"):  # as package.json spells it
        scheme = scheme.removeprefix("git+")
    if scheme not in SCHEMES:
        raise Unobservable(f"the git address {redact(text)!r} has a scheme git is not allowed to speak here", _ACCEPTED)
    host = rest.partition("/")[0].rpartition("@")[2]
    if scheme != "file" and (not host or host.startswith("-")):
        raise Unobservable(f"the git address {redact(text)!r} names no proper host", _ACCEPTED)
    address = f"{scheme}://{rest}"
    return Location(address, redact(address), local=scheme == "file")


def _scp(host: str, path: str, text: str) -> Location:
    name = host.rpartition("@")[2]
    if not name or name.startswith("-") or not path or path.startswith("-"):
        raise Unobservable(f"the git address {text!r} names no proper host and path", _ACCEPTED)
    return Location(text, text, local=False)
