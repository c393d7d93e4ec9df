"""What every HTML page of ours has in common: its style sheet and script, its policy, and foreign text made into HTML.

A page carries a content security policy that allows nothing but its own style sheet and script, each named by its hash.
Templates share ``parts.html.j2`` (icons, chips) and ``base.css`` (colours, type, tables, print).
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from driftwatch.model import Json
from driftwatch.render import clean
from driftwatch.render.messages import Part, prose
from driftwatch.render.templating import environment, source

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

SHORT = 160  # characters of a value that are not folded
LONGEST = 4000
_WRAP = re.compile(r"(?<=[/#:,_])(?=\w)|(?<=\.)(?=[^\W\d])")  # but never inside of a version
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def page(
    template: str, styles: Iterable[str], scripts: Iterable[str], filters: Mapping[str, Callable[..., Any]], **given: Any
) -> str:
    """The page ``template`` makes. It is given ``style``, ``script`` and ``policy`` beside ``given``."""
    style, script = ("\n".join(map(source, names)) for names in (styles, scripts))
    made = templates(filters).get_template(template)
    text = made.render(style=markup(style), script=markup(script), policy=policy(style, script), **given)
    return clean.encodable(text)


def templates(filters: Mapping[str, Callable[..., Any]]) -> ImmutableSandboxedEnvironment:
    """The environment of our pages: their common filters, and ``filters``."""
    return environment(escape, {"code": code, "value": value, "prose": told, "verbatim": verbatim, **filters})


def policy(style: str, script: str = "") -> str:
    """The content security policy: nothing is loaded, only this style sheet applies, only this script runs."""
    allowed = f"default-src 'none'; style-src {_hash(style)}; "
    if script:
        allowed += f"script-src {_hash(script)}; "
    return f"{allowed}base-uri 'none'; form-action 'none'"


def slug(text: str) -> str:
    """``text`` when it can be an id as it is, else a digest of it."""
    if _SLUG.fullmatch(text):
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def told(text: str) -> Markup:
    """One line of prose, what is in backticks as code."""
    return said(prose(text))


def said(pieces: Iterable[Part]) -> Markup:
    """Our words as text, upstream's values as code."""
    return markup("".join(code(part.text) if part.value else escape(part.text) for part in pieces))


def code(text: str, limit: int = 600) -> Markup:
    """One line as code, with places to wrap after the signs that names are made of."""
    return markup(f"<code>{'<wbr>'.join(escape(piece) for piece in _WRAP.split(clean.line(text, limit)))}</code>")


def value(given: Json) -> Markup:
    """A value as code; a long one is folded behind its beginning."""
    if given is None:
        return markup('<span class="none" title="not there">—</span>')
    text = clean.value(given, LONGEST)
    if len(text) <= SHORT:
        return code(text)
    return markup(f'<details class="long"><summary>{code(text[:SHORT])}…</summary>{code(text, LONGEST)}</details>')


def pieces(given: Iterable[tuple[str, str]]) -> str:
    """HTML of coloured pieces, each a class of the style sheet ("" for none) and a text whose spaces matter."""
    return "".join(f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text) for kind, text in given)


def verbatim(text: str) -> Markup:
    """A line whose spaces matter (it was cleaned when its text was taken apart)."""
    return markup(escape(text))


def escape(text: str) -> str:
    from markupsafe import escape as escaped

    return str(escaped(text))


def markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  (made of escaped pieces, or a file of our own)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
