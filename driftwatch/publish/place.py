"""Where we are: what a workflow's environment and event say about the repository and the pull request.

Numbers and names come from GitHub's own event, never from a file that a pull request's code could have written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from driftwatch.errors import UsageError
from driftwatch.publish.api import Api

DEFAULT_API = "https://api.github.com"
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")


class Place:
    """``repository`` is owner/name, ``api`` the API's address. The token never shows itself."""

    def __init__(self, environment: Mapping[str, str] = os.environ, repository: str = "") -> None:
        self.api = environment.get("GITHUB_API_URL") or DEFAULT_API
        self.repository = repository or environment.get("GITHUB_REPOSITORY", "")
        self.token = environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN") or ""
        self.run = _run(environment)
        self._event = environment.get("GITHUB_EVENT_PATH", "")
        if not _REPOSITORY.fullmatch(self.repository) or {".", ".."} & set(self.repository.split("/")):
            raise UsageError(f"{self.repository!r} is not a repository", "set GITHUB_REPOSITORY, or give --repository OWNER/NAME")
        if not self.token or not self.token.isascii() or not self.token.isprintable():
            raise UsageError("there is no token to speak to GitHub with", "set GITHUB_TOKEN")

    def pull(self, api: Api) -> int:
        """The number of the pull request this run is about; 0 when the run's commit is of no open one any more.

        Raises UsageError when the event is about none.
        """
        event = self._read()
        if number := _number(event.get("pull_request")):
            return number
        run = event.get("workflow_run")
        if isinstance(run, dict):
            return self._of_run(api, run)
        raise UsageError("this run is not about a pull request", "give --pull NUMBER")

    def _of_run(self, api: Api, run: Mapping[str, Any]) -> int:
        """For a pull request from a fork the event lists none: it is the open one whose head is that very commit."""
        owner = ((run.get("head_repository") or {}).get("owner") or {}).get("login")
        branch, sha = run.get("head_branch"), run.get("head_sha")
        if not (isinstance(owner, str) and isinstance(branch, str) and isinstance(sha, str)):
            raise UsageError("the workflow_run event does not say whose branch it ran on", "give --pull NUMBER")
        for pull in api.each(f"/repos/{self.repository}/pulls", state="open", head=f"{owner}:{branch}"):
            if (pull.get("head") or {}).get("sha") == sha:
                return _number(pull)
        return 0

    def _read(self) -> Mapping[str, Any]:
        try:
            data = json.loads(Path(self._event).read_text("utf-8")) if self._event else {}
        except (OSError, ValueError) as error:
            raise UsageError(f"the event cannot be read: {error}", "look at GITHUB_EVENT_PATH") from error
        return data if isinstance(data, dict) else {}


def _number(pull: Any) -> int:
    number = pull.get("number") if isinstance(pull, dict) else None
    return number if isinstance(number, int) and number > 0 else 0


def _run(environment: Mapping[str, str]) -> str:
    """The address of this workflow run, "" outside of one."""
    server, repository, run = (environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    whole = server.startswith("https://") and _REPOSITORY.fullmatch(repository) and run.isdigit()
    return f"{server}/{repository}/actions/runs/{run}" if whole else ""
