"""One comment on a pull request that is updated in place, found by its hidden first line."""

from __future__ import annotations

from driftwatch.publish.api import Api, Uncertain
from driftwatch.publish.common import Done, ours, same


def stick(api: Api, repository: str, number: int, mark: str, body: str, author: str, *, quiet: bool = False) -> Done:
    """Make the comment of ``author`` that begins with ``mark`` say ``body``. With ``quiet`` none is begun for it.

    Should there be several (two runs at once), the first stays and the others are removed.
    """
    path = f"/repos/{repository}/issues/{number}/comments"
    try:
        return _once(api, repository, path, mark, body, author, quiet=quiet)
    except Uncertain:
        return _once(api, repository, path, mark, body, author, quiet=quiet)


def _once(api: Api, repository: str, path: str, mark: str, body: str, author: str, *, quiet: bool) -> Done:
    found = [entry for entry in api.each(path) if ours(entry, mark, author)]
    for extra in found[1:]:
        api.send("DELETE", f"/repos/{repository}/issues/comments/{int(extra['id'])}", {})
    if not found:
        if quiet:
            return Done("none", why="there is nothing to say")
        made = api.send("POST", path, {"body": body})
        return Done("created", str(made.get("html_url", "")))
    first = found[0]
    if same(str(first["body"]), body):
        return Done("same", str(first.get("html_url", "")))
    api.send("PATCH", f"/repos/{repository}/issues/comments/{int(first['id'])}", {"body": body})
    return Done("updated", str(first.get("html_url", "")))
