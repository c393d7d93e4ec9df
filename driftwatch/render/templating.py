"""Templates in a sandbox. Every ``{{ }}`` goes through the medium's own escaping unless a filter already did it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from driftwatch.render import clean

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

LONGEST = 2000  # characters of one foreign string that are shown


def environment(escape: Callable[[str], str], filters: Mapping[str, Callable[..., Any]]) -> ImmutableSandboxedEnvironment:
    """Jinja2 over ``templates/``. ``escape`` is used on every value put out that is not Markup; a name that is not there
    is an error, never an empty place."""
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

    def finalize(given: Any) -> Markup:
        return given if isinstance(given, Markup) else Markup(escape(shown(given)))  # noqa: S704  (escaped right here)

    made = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(filters)
    made.filters["plural"] = plural
    return made


def shown(given: Any) -> str:
    """Anything as one clean line of bounded length."""
    return clean.line(given if isinstance(given, str) else str(given), LONGEST)


def plural(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def source(name: str) -> str:
    """A file of ``templates/``: a template, a style sheet or a script."""
    return files("driftwatch.render").joinpath("templates", name).read_text("utf-8")
