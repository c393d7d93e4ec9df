"""Call sites in a shipped executable: the JavaScript of the host is plain text in it, minified or not."""

from __future__ import annotations

import mmap
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from driftwatch.errors import Unobservable

_AROUND = 120  # bytes before and after that make a site the same site; further off, two copies of one bundle may differ
_CALL = 240  # bytes in which the name of the hook must come
_WORD = re.compile(rb"[\w$]")


def count(executable: Path, hooks: Sequence[str], triggers: Sequence[str]) -> Counter[str]:
    """Call sites by hook. The same code embedded twice is counted once: a site is known by the text around it.

    Raises Unobservable when the file cannot be read, or when no call of any hook is in it: then it is not the host, or
    its code is packed, and no count would mean anything.
    """
    try:
        with executable.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            found = set(_sites(data, triggers, _pattern(hooks)))
    except (OSError, ValueError) as error:
        raise Unobservable(f"cannot read {executable}: {getattr(error, 'strerror', None) or error}") from error
    if not found:
        raise Unobservable(
            f"{executable.name} holds no call of any declared hook", "its code may be packed: count in the source instead"
        )
    return Counter(hook for hook, _ in found)


def _pattern(hooks: Sequence[str]) -> re.Pattern[bytes]:
    names = b"|".join(re.escape(hook.encode()) for hook in sorted(hooks, key=len, reverse=True))
    return re.compile(rb"\(\s*([\"'`])(" + names + rb")\1\s*[,)]")


def _sites(data: mmap.mmap, triggers: Sequence[str], pattern: re.Pattern[bytes]) -> Iterator[tuple[str, bytes]]:
    for trigger in triggers:
        word = f"{trigger}(".encode()
        at = data.find(word)
        while at >= 0:
            opened = at + len(word) - 1
            around = data[max(0, at - _AROUND) : opened + _AROUND]
            call = pattern.match(data[opened : opened + _CALL])
            if call and not (at and _WORD.match(data[at - 1 : at])):
                yield call.group(2).decode(), around
            at = data.find(word, at + 1)
