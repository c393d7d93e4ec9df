"""The ini dialect of .npmrc, as npm's ``ini`` package reads it, and npm's ``${VAR}`` expansion."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_VARIABLE = re.compile(r"(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}")

Settings = dict[str, "str | list[str]"]


def parse(text: str) -> Settings:
    """Keys and values before the first ``[section]`` (npm looks at no other). ``key[] = v`` lines make a list; a key
    without ``=`` is "true"; the last of several equal keys wins.
    """
    settings: Settings = {}
    for line in re.split(r"[\r\n]+", text.removeprefix("\ufeff")):
        bare = line.strip()
        if not bare or bare[0] in ";#":
            continue
        if bare.startswith("[") and bare.endswith("]"):
            break
        key, equals, value = bare.partition("=")
        name, content = _value(key), _value(value) if equals else "true"
        if len(name) > 2 and name.endswith("[]"):
            items = settings.setdefault(name[:-2], [])
            if isinstance(items, list):
                items.append(content)
        elif name:
            settings[name] = content
    return settings


def _value(raw: str) -> str:
    raw = raw.strip()
    if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'":
        try:
            loaded = json.loads(raw[1:-1] if raw[0] == "'" else raw)
        except ValueError:
            return raw[1:-1] if raw[0] == "'" else raw
        return loaded if isinstance(loaded, str) else raw[1:-1]
    return _unescape(raw)


def _unescape(raw: str) -> str:
    """Up to the first ``;`` or ``#`` that no backslash escapes."""
    out, escaped = "", False
    for char in raw:
        if escaped:
            out += char if char in "\\;#" else "\\" + char
            escaped = False
        elif char in ";#":
            break
        elif char == "\\":
            escaped = True
        else:
            out += char
    return (out + "\\" * escaped).strip()


def expand(settings: Settings, env: Mapping[str, str]) -> Settings:
    """``${VAR}`` replaced in keys and values. An unset ``${VAR}`` stays as it is written, an unset ``${VAR?}`` is ""."""

    def one(match: re.Match[str]) -> str:
        slashes, name, optional = match[1], match[2], match[3]
        if len(slashes) % 2:
            return match[0][(len(slashes) + 1) // 2 :]
        value = env.get(name)
        if value is None:
            value = "" if optional else "${" + name + "}"
        return slashes[: len(slashes) // 2] + value

    def text(value: str) -> str:
        return _VARIABLE.sub(one, value)

    return {
        text(key): [text(item) for item in value] if isinstance(value, list) else text(value) for key, value in settings.items()
    }
