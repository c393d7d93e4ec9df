"""Why git refused, in its own words, and what to do about it."""

from __future__ import annotations

import re

from driftwatch.observe.sources.git.location import redact

_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x1f\x7f-\x9f]")
_BOILERPLATE = ("Please make sure you have", "and the repository exists", "hint:", "warning:", "Cloning into", "From ")
_TELLING = ("fatal:", "error:", "remote: fatal:", "remote: error:", "remote: ERROR", "ERROR:", "ssh:")
_ADD_SAFE = re.compile(r"git config --global --add safe\.directory .+")

_REMEDIES: tuple[tuple[str, str], ...] = (
    (r"could not read (Username|Password)|Authentication failed|terminal prompts disabled|HTTP 40[13]|error: 40[13]",
     "give git access without a prompt (a credential helper, or an SSH key): driftwatch never asks for a password"),
    (r"Permission denied|Host key verification failed",
     "connect once by hand (`git ls-remote ADDRESS`) so that the key and the host are known, then run again"),
    (r"Could not resolve host|Name or service not known|nodename nor servname|Connection (refused|timed out|reset)|"
     r"Failed to connect|unable to connect|unable to access|early EOF|hung up",
     "check the network, the proxy settings and the address; `--offline` uses what is cached"),
    (r"does not appear to be a git repository|not a git repository|invalid gitfile|Repository not found|"
     r"repository '.*' not found|does not exist",
     "check the git address in the watchlist"),
    (r"transport '.*' not allowed", "use an https, ssh, git or file address"),
)  # fmt: skip


def why(stderr: bytes) -> str:
    """The first telling lines of git's own text: one line, no control characters, no credentials."""
    lines = [_CONTROL.sub(" ", line).strip() for line in stderr.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith(_BOILERPLATE)]
    telling = [line for line in lines if line.startswith(_TELLING)] or lines
    unique = list(dict.fromkeys(telling))[:3]
    return redact("; ".join(unique))[:500] or "git said nothing"


def remedy(stderr: bytes) -> str:
    """What to do about it; "" when git's words are all there is."""
    text = stderr.decode("utf-8", "replace")
    if safe := _ADD_SAFE.search(text):
        return f"if you trust that folder: {_CONTROL.sub(' ', safe[0]).strip()}"
    return next((advice for pattern, advice in _REMEDIES if re.search(pattern, text, re.IGNORECASE)), "")
