"""What a single string of the watchlist may be. Each function answers what is wrong, in words, or None. Pure.

Text that ends up as an argument of git or of a child process is checked here, before anything is started.
"""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import urlsplit

_CONTROL = re.compile(r"[\x00-\x1f\x7f\x80-\x9f\u2028\u2029]")
_SLUG = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9~_.-][A-Za-z0-9~_./+-]*")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROBE = re.compile(r"[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)+")
_HELPER = re.compile(r"([A-Za-z0-9+.-]+)::")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
GIT_SCHEMES = ("https", "http", "ssh", "git", "file", "git+ssh", "ssh+git")


def text(value: str) -> str | None:
    if not value.strip():
        return "is empty"
    if _CONTROL.search(value):
        return "has control characters in it"
    return None


def prose(value: str) -> str | None:
    """Words for people: line ends are fine."""
    return text(re.sub(r"[\n\t]", " ", value))


def slug(value: str) -> str | None:
    if _SLUG.fullmatch(value):
        return None
    return f"{value!r} is not an id: lower-case letters and digits, with - _ or . between them"


def dist_tag(value: str) -> str | None:
    if not _TAG.fullmatch(value):
        return f"{value!r} is not a dist-tag name"
    # npm itself refuses a tag that reads as a version range
    if re.fullmatch(r"v?\d+(\.(\d+|x))*(-.*)?", value):
        return f"{value!r} is a version, not a dist-tag such as latest (write a version under accepted)"
    return None


def version(value: str) -> str | None:
    return None if _VERSION.fullmatch(value) else f"{value!r} is not one full version, such as 1.18.4"


def versions(value: str) -> str | None:
    """An npm range of versions."""
    import nodesemver  # only who expects a failure pays for it

    try:
        if len(value) <= 500 and nodesemver.valid_range(value, False) is not None:
            return None
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError):
        pass
    return f"{value!r} is not a range of versions, such as <1.15.13 or 1.17.x"


def accepted(value: str) -> str | None:
    if re.fullmatch(r"[0-9a-f]{40}", value):
        return None
    return (
        version(value) and f"{value!r} is not one full version, such as 1.18.4, nor (of a branch) the 40 characters of a commit"
    )


def branch(value: str) -> str | None:
    """The rules of git-check-ref-format, as far as a name could be taken for something else."""
    bad = re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|^[-/.]|[/.]$", value)
    return (
        f"{value!r} is not the name of a branch, such as v2 (without refs/heads/)" if bad or value.startswith("refs/") else None
    )


def variable(value: str) -> str | None:
    if "=" in value:
        return f"{value!r} carries a value: only the name of the variable belongs here, its value is taken from the environment"
    return None if _VARIABLE.fullmatch(value) else f"{value!r} is not the name of an environment variable"


def probe(value: str) -> str | None:
    if wrong := text(value):
        return wrong
    if value.startswith("./"):
        return "leaves the project's folder" if ".." in value.split("/") else None
    return None if _PROBE.fullmatch(value) else f"{value!r} is not a probe: <host>/<probe>, or a folder of your own as ./folder"


def registry(value: str) -> str | None:
    """An npm registry's address. Tokens belong in .npmrc, which is not committed."""
    if wrong := text(value):
        return wrong
    try:
        parts = urlsplit(value)
        right = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        right = False
    if not right or " " in value:
        return f"{value!r} is not an http(s) address"
    if parts.username is not None or parts.password is not None:
        return "a registry's address must not hold a user or a token: they belong in .npmrc"
    return "a registry's address has no ? or # part" if parts.query or parts.fragment else None


def git_url(value: str) -> str | None:
    """Any address or local path git takes, but nothing that git would read as an option or as a command to run."""
    if (wrong := text(value)) or value != value.strip():
        return wrong or "has spaces around it"
    if value.startswith("-"):
        return "starts with -: git would read it as an option"
    if helper := _HELPER.match(value):
        return f"{helper[1]}:: is a transport helper, which runs a program: only {', '.join(GIT_SCHEMES)} and local paths"
    scheme = _SCHEME.match(value)
    if scheme and scheme[1].lower() not in GIT_SCHEMES:
        return f"{scheme[1]}:// is not used: only {', '.join(GIT_SCHEMES)} and local paths"
    return _git_host(value, scheme[1].lower() if scheme else "")


def _git_host(value: str, scheme: str) -> str | None:
    if scheme == "file":
        return None
    if not scheme and (":" not in value or "/" in value.partition(":")[0]):
        return None  # a local path
    authority = value.partition("://")[2].partition("/")[0] if scheme else value.partition(":")[0]
    user, _, host = authority.rpartition("@")
    if not host or host.startswith("-") or user.startswith("-"):
        return "has no host that git could reach" if not host else "starts the host with -: ssh would read it as an option"
    if scheme in ("http", "https") and ":" in user:
        return "holds a password: leave it out and use git's credential helper, this file is committed and its URL is reported"
    return None


def tag_pattern(value: str) -> str | None:
    if value.count("{version}") != 1:
        return f"{value!r} must hold {{version}} exactly once, such as v{{version}}"
    name = value.replace("{version}", "1.0.0")
    # the rules of git-check-ref-format
    bad = re.search(r"[\x00-\x20\x7f~^:?*\[\\{}]|\.\.|@\{|//|/\.|\.lock(/|$)|^[-/.]|[/.]$", name)
    return f"{value!r} is not a name git takes for a tag" if bad else None


def pathspec(value: str) -> str | None:
    """A path in the upstream repository, ``*`` and ``**`` allowed; nothing of git's pathspec magic."""
    if wrong := text(value):
        return wrong
    if value.startswith(":"):
        return f"{value!r} uses pathspec magic: write a plain path, * and ** are understood"
    if value.startswith(("/", "./")) or "\\" in value:
        return f"{value!r} is written from the repository's root with /, without a leading / or ./"
    if ".." in value.split("/"):
        return f"{value!r} leaves the repository"
    if re.search(r"\{[^{}]*,[^{}]*\}", value):
        return f"{value!r} has braces, which git does not expand: write one entry for each path"
    return None


def relative(value: str) -> str | None:
    """A path or a glob of our own, from the watchlist's folder."""
    if wrong := text(value):
        return wrong
    if value.startswith(("/", "~")) or "\\" in value:
        return f"{value!r} must be relative to the watchlist's folder, written with /"
    return None


def iso_date(value: object) -> date | str:
    """The date, or what is wrong with it."""
    if type(value) is date:
        return value
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return f"{str(value)!r} is not a date, such as 2027-01-31"
    try:
        return date.fromisoformat(value)
    except ValueError:
        return f"{value!r} is a day that does not exist"
