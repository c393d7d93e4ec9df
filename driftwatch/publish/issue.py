"""One issue while something is broken: opened, kept up to date, and closed with a word when it holds again."""

from __future__ import annotations

from typing import Any, Literal

from driftwatch.publish.api import Api, Uncertain
from driftwatch.publish.common import Done, ours, same

State = Literal["broken", "holds", "unknown"]


def follow(api: Api, repository: str, mark: str, state: State, title: str, body: str, author: str) -> Done:
    """Make the open issue of ``author`` that begins with ``mark`` fit ``state``. ``body`` is the issue's while it is broken,
    and the closing comment when it holds; ``unknown`` leaves everything as it is."""
    if state == "unknown":
        return Done("left-alone", why="not everything could be looked at")
    try:
        return _once(api, repository, mark, state, title, body, author)
    except Uncertain:
        return _once(api, repository, mark, state, title, body, author)


def _once(api: Api, repository: str, mark: str, state: State, title: str, body: str, author: str) -> Done:
    listed = api.each(f"/repos/{repository}/issues", state="open", creator=author)
    found = [entry for entry in listed if "pull_request" not in entry and ours(entry, mark, author)]
    if state == "holds":
        return _close(api, repository, found, body)
    if not found:
        made = api.send("POST", f"/repos/{repository}/issues", {"title": title, "body": body})
        return Done("created", str(made.get("html_url", "")))
    first = found[0]
    if first.get("title") == title and same(str(first["body"]), body):
        return Done("same", str(first.get("html_url", "")))
    api.send("PATCH", f"/repos/{repository}/issues/{int(first['number'])}", {"title": title, "body": body})
    return Done("updated", str(first.get("html_url", "")))


def _close(api: Api, repository: str, found: list[dict[str, Any]], word: str) -> Done:
    for entry in found:
        path = f"/repos/{repository}/issues/{int(entry['number'])}"
        # Closed first: should the comment get lost, a second call finds nothing open and says nothing twice.
        api.send("PATCH", path, {"state": "closed", "state_reason": "completed"})
        try:
            api.send("POST", f"{path}/comments", {"body": word})
        except Uncertain:
            continue
    return Done("closed", str(found[0].get("html_url", ""))) if found else Done("none", why="no such issue is open")
