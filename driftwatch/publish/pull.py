"""One branch and one pull request with the files we propose. Built through the git data API: no clone, no push, no hook."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from driftwatch.publish.api import Api, Refused, Uncertain
from driftwatch.publish.common import Done, same

TRAILER = "Driftwatch-Digest: "  # of the commit message: how we know our own commit, and what it says


@dataclass(frozen=True, slots=True)
class Proposal:
    """``files``: path from the repository's root -> content; those in ``executable`` are programs. ``digest`` is the same while
    the proposal says the same; a branch whose commit carries it is not made again. ``base`` is the branch it goes to."""

    branch: str
    base: str
    title: str
    body: str
    message: str
    files: Mapping[str, bytes]
    digest: str
    executable: frozenset[str] = frozenset()


def propose(api: Api, repository: str, proposal: Proposal) -> Done:
    """Make the branch hold one commit with the files on top of the base, and one open pull request for it say the text.

    A branch that somebody else committed to is left alone.
    """
    root = f"/repos/{repository}"
    head = _head(api, root, proposal.branch)
    if head and not _is_ours(head):
        return Done("left-alone", why=f"{proposal.branch} holds commits of somebody else")
    pull = _open(api, repository, proposal)
    stale = head is None or proposal.digest != _digest(head) or (pull is not None and _conflicts(api, root, pull))
    if stale:
        _commit(api, root, proposal, exists=head is not None)
    if pull is None:
        return _create(api, repository, root, proposal)
    if pull.get("title") == proposal.title and same(str(pull.get("body") or ""), proposal.body):
        return Done("updated" if stale else "same", str(pull.get("html_url", "")))
    api.send("PATCH", f"{root}/pulls/{int(pull['number'])}", {"title": proposal.title, "body": proposal.body})
    return Done("updated", str(pull.get("html_url", "")))


def withdraw(api: Api, repository: str, branch: str, base: str, why: str) -> Done:
    """Close the open pull request with a word, and remove our branch."""
    root = f"/repos/{repository}"
    pull = _open(api, repository, Proposal(branch, base, "", "", "", {}, ""))
    head = _head(api, root, branch)
    if head and not _is_ours(head):
        return Done("left-alone", why=f"{branch} holds commits of somebody else")
    if pull is not None:
        api.send("PATCH", f"{root}/pulls/{int(pull['number'])}", {"state": "closed"})
        with suppress(Uncertain):
            api.send("POST", f"{root}/issues/{int(pull['number'])}/comments", {"body": why})
    if head:
        api.send("DELETE", f"{root}/git/refs/heads/{quote(branch)}", {})
    return Done("withdrawn" if pull or head else "none", str((pull or {}).get("html_url", "")))


def default_branch(api: Api, repository: str) -> str:
    return str(api.get(f"/repos/{repository}").get("default_branch") or "main")


def _open(api: Api, repository: str, proposal: Proposal) -> dict[str, Any] | None:
    owner = repository.partition("/")[0]
    listed = api.each(f"/repos/{repository}/pulls", state="open", base=proposal.base, head=f"{owner}:{proposal.branch}")
    # Where the head is not understood the filter is ignored and everything is listed.
    return next((pull for pull in listed if (pull.get("head") or {}).get("ref") == proposal.branch), None)


def _create(api: Api, repository: str, root: str, proposal: Proposal) -> Done:
    body = {"title": proposal.title, "body": proposal.body, "head": proposal.branch, "base": proposal.base}
    try:
        made = api.send("POST", f"{root}/pulls", {**body, "maintainer_can_modify": True})
    except (Uncertain, Refused) as error:
        if isinstance(error, Refused) and "already exists" not in error.said:
            raise
        there = _open(api, repository, proposal)
        if there is None:
            raise
        made = there
    return Done("created", str(made.get("html_url", "")))


def _conflicts(api: Api, root: str, pull: dict[str, Any]) -> bool:
    """GitHub works it out in the background: not known yet is no reason to build again."""
    return api.get(f"{root}/pulls/{int(pull['number'])}").get("mergeable") is False


def _head(api: Api, root: str, branch: str) -> dict[str, Any] | None:
    """The branch's newest commit, None when there is no such branch."""
    try:
        ref = api.get(f"{root}/git/ref/heads/{quote(branch)}")
    except Refused as error:
        if error.status == 404:
            return None
        raise
    commit: dict[str, Any] = api.get(f"{root}/git/commits/{quote(str(ref['object']['sha']))}")
    return commit


def _commit(api: Api, root: str, proposal: Proposal, *, exists: bool) -> None:
    base = str(api.get(f"{root}/git/ref/heads/{quote(proposal.base)}")["object"]["sha"])
    tree = str(api.get(f"{root}/git/commits/{quote(base)}")["tree"]["sha"])
    entries = []
    for path, content in sorted(proposal.files.items()):
        blob = api.send(
            "POST", f"{root}/git/blobs", {"content": base64.b64encode(content).decode(), "encoding": "base64"}, again=True
        )
        mode = "100755" if path in proposal.executable else "100644"
        entries.append({"path": path, "mode": mode, "type": "blob", "sha": blob.get("sha")})
    made = api.send("POST", f"{root}/git/trees", {"base_tree": tree, "tree": entries}, again=True)
    message = f"{proposal.message}\n\n{TRAILER}{proposal.digest}"
    commit = api.send("POST", f"{root}/git/commits", {"message": message, "tree": made.get("sha"), "parents": [base]}, again=True)
    if exists:
        api.send("PATCH", f"{root}/git/refs/heads/{quote(proposal.branch)}", {"sha": commit.get("sha"), "force": True})
        return
    try:
        api.send("POST", f"{root}/git/refs", {"ref": f"refs/heads/{proposal.branch}", "sha": commit.get("sha")}, again=True)
    except Refused as error:
        if "already exists" not in error.said:
            raise


def _is_ours(commit: Mapping[str, Any]) -> bool:
    return TRAILER in str(commit.get("message") or "")


def _digest(commit: Mapping[str, Any]) -> str:
    return str(commit.get("message") or "").rpartition(TRAILER)[2].strip()
