"""A stand-in for GitHub's REST API on loopback: enough of it to be wrong with. Enforces what GitHub enforces.

Tokens and permissions (401, 403, 404), pages (30 by default, 100 at most, Link headers), lengths (65,536 characters), one open
pull request a head and base, refs that exist or not, fast-forwards, locked conversations, primary and secondary rate limits.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

TOKEN = "ghs_stand_in_token"
BOT = "github-actions[bot]"
LONGEST = 65_536
FILES = ("100644", "100755")  # modes of a tree that are files: plain, and run


class No(Exception):
    def __init__(self, status: int, message: str, *errors: Any, **headers: str) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers
        self.body = {"message": message, **({"errors": list(errors)} if errors else {}), "documentation_url": "x"}


@dataclass
class Fault:
    """What the next fitting request gets. ``after``: the deed is done first, and its answer lost."""

    method: str
    path: str  # a pattern
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"message":"Server Error"}'
    after: bool = False
    drop: bool = False  # the connection breaks


def sha(value: Any) -> str:
    return hashlib.sha1(json.dumps(value, sort_keys=True).encode()).hexdigest()


class GitHub:
    """``url`` is GITHUB_API_URL. One repository, ``acme/ours``, with the branch main. ``allows`` are the token's permissions."""

    name = "acme/ours"

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.faults: list[Fault] = []
        self.allows = {"contents": "write", "issues": "write", "pull_requests": "write"}
        self.login = BOT
        self.may_open_pulls = True
        self.remaining = 5000
        self.reset = 0.0
        self.issues: dict[int, dict[str, Any]] = {}
        self.pulls: dict[int, dict[str, Any]] = {}
        self.comments: dict[int, dict[str, Any]] = {}
        self.blobs: dict[str, bytes] = {}
        self.trees: dict[str, dict[str, str]] = {}
        self.modes: dict[str, str] = {}  # by path, as last given
        self.commits: dict[str, dict[str, Any]] = {}
        self.refs: dict[str, str] = {}
        self._numbers = 0
        self._lock = threading.RLock()
        self.push("main", {"readme.md": b"hello\n"}, "Begin")
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> GitHub:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # --- what a test arranges

    def push(self, branch: str, files: dict[str, bytes], message: str) -> str:
        """A commit by a person on top of a branch."""
        parent = self.refs.get(branch)
        tree = dict(self.trees[self.commits[parent]["tree"]]) if parent else {}
        tree.update({path: self._blob(data) for path, data in files.items()})
        commit = self._commit(message, self._tree(tree), [parent] if parent else [])
        self.refs[branch] = commit
        return commit

    def files(self, branch: str) -> dict[str, bytes]:
        return {path: self.blobs[blob] for path, blob in self.trees[self.commits[self.refs[branch]]["tree"]].items()}

    def open_pull(self, head: str = "feature", login: str = "dev", **more: Any) -> int:
        self.refs.setdefault(head, self.refs["main"])
        return self._pull({"head": head, "base": "main", "title": "t", "body": ""}, login, **more)["number"]

    def say(self, number: int, body: str, login: str = "somebody") -> int:
        return self._comment(number, body, login)["id"]

    def bodies(self, number: int, login: str = BOT) -> list[str]:
        return [c["body"] for c in self.comments.values() if c["_on"] == number and c["user"]["login"] == login]

    def writes(self) -> list[tuple[str, str]]:
        return [request for request in self.requests if request[0] != "GET"]

    # --- answering

    def answer(self, method: str, target: str, headers: dict[str, str], raw: bytes) -> tuple[int, Any, dict[str, str]]:
        with self._lock:
            parts = urlsplit(target)
            path = unquote(parts.path)
            self.requests.append((method, path))
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            fault = self._fault(method, path, after=False)
            if fault:
                raise fault
            try:
                self._guard(headers)
                body = json.loads(raw) if raw else {}
                status, data = self._route(method, path, query, body)
            except No as error:
                return error.status, error.body, error.headers
            fault = self._fault(method, path, after=True)
            if fault:
                raise fault
            if isinstance(data, list):
                data, link = self._page(data, parts.path, query)
                return status, data, link
            return status, data, {}

    def _fault(self, method: str, path: str, after: bool) -> _Broken | None:
        for fault in self.faults:
            if fault.after is after and fault.method == method and re.search(fault.path, path):
                self.faults.remove(fault)
                return _Broken(fault)
        return None

    def _guard(self, headers: dict[str, str]) -> None:
        if headers.get("authorization") != f"Bearer {TOKEN}":
            raise No(401, "Bad credentials")
        if not headers.get("user-agent"):
            raise No(403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
        if self.remaining <= 0 and time.time() < self.reset:
            rate = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(self.reset))}
            raise No(403, "API rate limit exceeded for installation ID 1.", **rate)
        self.remaining -= 1

    def _page(self, entries: list[Any], path: str, query: dict[str, str]) -> tuple[list[Any], dict[str, str]]:
        size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
        start = (page - 1) * size
        links = []
        if start + size < len(entries):
            links = [f'<{self.url}{path}?{urlencode({**query, "page": page + 1})}>; rel="next"']
        return entries[start : start + size], {"Link": ", ".join(links)} if links else {}

    def _route(self, method: str, path: str, query: dict[str, str], body: dict[str, Any]) -> tuple[int, Any]:
        if (method, path) == ("GET", "/user"):
            if self.login == BOT:
                raise No(403, "Resource not accessible by integration")
            return 200, {"login": self.login}
        match = re.fullmatch(rf"/repos/{self.name}(/.*)?", path)
        if not match:
            raise No(404, "Not Found")
        rest = match[1] or ""
        for verb, pattern, needs, handler in _ROUTES:
            found = re.fullmatch(pattern, rest)
            if verb == method and found:
                self._allowed(method, needs)
                return handler(self, *found.groups(), query=query, body=body)
        raise No(404, "Not Found")

    def _allowed(self, method: str, needs: str) -> None:
        had = [self.allows.get(one, "") for one in needs.split("|")]
        if not any(had):
            raise No(403, "Resource not accessible by integration") if method != "GET" else No(404, "Not Found")
        if method != "GET" and "write" not in had:
            raise No(403, "Resource not accessible by integration")

    # --- the routes

    def repo(self, **_: Any) -> tuple[int, Any]:
        return 200, {"full_name": self.name, "default_branch": "main"}

    def list_comments(self, number: str, **_: Any) -> tuple[int, Any]:
        self._talk(int(number))
        return 200, [c for c in self.comments.values() if c["_on"] == int(number)]

    def add_comment(self, number: str, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        if self._talk(int(number)).get("locked"):
            raise No(403, "Unable to create comment because issue is locked.")
        return 201, self._comment(int(number), self._text(body), self.login)

    def edit_comment(self, number: str, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        comment = self._there(self.comments, number)
        comment["body"] = self._text(body)
        return 200, comment

    def drop_comment(self, number: str, **_: Any) -> tuple[int, Any]:
        self._there(self.comments, number)
        del self.comments[int(number)]
        return 204, None

    def list_issues(self, *, query: dict[str, str], **_: Any) -> tuple[int, Any]:
        everything = [*self.issues.values(), *({**pull, "pull_request": {"url": "x"}} for pull in self.pulls.values())]
        state, creator = query.get("state", "open"), query.get("creator")
        return 200, [e for e in everything if state in (e["state"], "all") and creator in (None, e["user"]["login"])]

    def add_issue(self, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        if not body.get("title"):
            raise No(422, "Validation Failed", {"resource": "Issue", "field": "title", "code": "missing_field"})
        issue = self._talker(body["title"], self._text(body), self.login)
        self.issues[issue["number"]] = issue
        return 201, issue

    def edit_issue(self, number: str, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        issue = self._there(self.issues, number)
        if "body" in body:
            self._text(body)
        issue.update(body)
        return 200, issue

    def list_pulls(self, *, query: dict[str, str], **_: Any) -> tuple[int, Any]:
        found = [p for p in self.pulls.values() if query.get("state", "open") in (p["state"], "all")]
        if head := query.get("head"):
            found = [p for p in found if f"{p['head']['user']['login']}:{p['head']['ref']}" == head]
        if base := query.get("base"):
            found = [p for p in found if p["base"]["ref"] == base]
        return 200, found

    def get_pull(self, number: str, **_: Any) -> tuple[int, Any]:
        return 200, self._there(self.pulls, number)

    def add_pull(self, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        if not self.may_open_pulls:
            raise No(403, "GitHub Actions is not permitted to create or approve pull requests.")
        return 201, self._pull(body, self.login)

    def edit_pull(self, number: str, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        pull = self._there(self.pulls, number)
        if "body" in body:
            self._text(body)
        pull.update(body)
        return 200, pull

    def get_ref(self, branch: str, **_: Any) -> tuple[int, Any]:
        if branch not in self.refs:
            raise No(404, "Not Found")
        return 200, {"ref": f"refs/heads/{branch}", "object": {"sha": self.refs[branch], "type": "commit"}}

    def add_ref(self, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        branch = body["ref"].removeprefix("refs/heads/")
        if branch in self.refs:
            raise No(422, "Reference already exists")
        if body["sha"] not in self.commits:
            raise No(422, "Object does not exist")
        self.refs[branch] = body["sha"]
        return 201, {}

    def edit_ref(self, branch: str, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        if branch not in self.refs or body["sha"] not in self.commits:
            raise No(422, "Reference does not exist")
        if not body.get("force") and self.refs[branch] not in self._ancestors(body["sha"]):
            raise No(422, "Update is not a fast forward")
        self.refs[branch] = body["sha"]
        return 200, {}

    def drop_ref(self, branch: str, **_: Any) -> tuple[int, Any]:
        if branch not in self.refs:
            raise No(422, "Reference does not exist")
        del self.refs[branch]
        for pull in self.pulls.values():
            if pull["head"]["ref"] == branch:
                pull["state"] = "closed"
        return 204, None

    def get_commit(self, name: str, **_: Any) -> tuple[int, Any]:
        if name not in self.commits:
            raise No(404, "Not Found")
        commit = self.commits[name]
        return 200, {"sha": name, "message": commit["message"], "tree": {"sha": commit["tree"]}}

    def add_commit(self, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        if body["tree"] not in self.trees or not set(body["parents"]) <= set(self.commits):
            raise No(422, "Object does not exist")
        return 201, {"sha": self._commit(body["message"], body["tree"], body["parents"])}

    def add_blob(self, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        return 201, {"sha": self._blob(base64.b64decode(body["content"], validate=True))}

    def add_tree(self, *, body: dict[str, Any], **_: Any) -> tuple[int, Any]:
        tree = dict(self.trees[body["base_tree"]])
        for entry in body["tree"]:
            if entry["sha"] not in self.blobs or entry["mode"] not in FILES or entry["path"].startswith(("/", ".git/")):
                raise No(422, "tree.sha is not a valid blob")
            tree[entry["path"]] = entry["sha"]
            self.modes[entry["path"]] = entry["mode"]
        return 201, {"sha": self._tree(tree)}

    # --- keeping

    def _there(self, kept: dict[int, dict[str, Any]], number: str) -> dict[str, Any]:
        if int(number) not in kept:
            raise No(404, "Not Found")
        return kept[int(number)]

    def _talk(self, number: int) -> dict[str, Any]:
        return self._there({**self.issues, **self.pulls}, str(number))

    def _text(self, body: dict[str, Any]) -> str:
        text: str = body.get("body") or ""
        if len(text) > LONGEST:
            raise No(422, "Validation Failed", {"message": f"body is too long (maximum is {LONGEST} characters)"})
        return text

    def _comment(self, number: int, body: str, login: str) -> dict[str, Any]:
        self._numbers += 1
        comment = {"id": self._numbers, "body": body, "user": {"login": login}, "_on": number, "html_url": f"u/{self._numbers}"}
        self.comments[self._numbers] = comment
        return comment

    def _talker(self, title: str, body: str, login: str) -> dict[str, Any]:
        self._numbers += 1
        number = self._numbers
        return {
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "user": {"login": login},
            "html_url": f"u/{number}",
        }

    def _pull(self, body: dict[str, Any], login: str, owner: str = "acme", **more: Any) -> dict[str, Any]:
        for pull in self.pulls.values():
            there = (pull["head"]["ref"], pull["head"]["user"]["login"], pull["base"]["ref"])
            if pull["state"] == "open" and there == (body["head"], owner, body["base"]):
                raise No(422, "Validation Failed", {"message": f"A pull request already exists for {owner}:{body['head']}."})
        if body["head"] not in self.refs or body["base"] not in self.refs:
            raise No(422, "Validation Failed", {"resource": "PullRequest", "field": "head", "code": "invalid"})
        if self.refs[body["head"]] == self.refs[body["base"]] and login == self.login:
            raise No(422, "Validation Failed", {"message": f"No commits between {body['base']} and {body['head']}"})
        pull = self._talker(body["title"], self._text(body), login)
        head = {"ref": body["head"], "sha": self.refs[body["head"]], "user": {"login": owner}}
        pull.update({"head": head, "base": {"ref": body["base"]}, "mergeable": True, **more})
        self.pulls[pull["number"]] = pull
        return pull

    def _blob(self, data: bytes) -> str:
        name = hashlib.sha1(data).hexdigest()
        self.blobs[name] = data
        return name

    def _tree(self, tree: dict[str, str]) -> str:
        self.trees[sha(tree)] = tree
        return sha(tree)

    def _commit(self, message: str, tree: str, parents: list[str]) -> str:
        commit = {"message": message, "tree": tree, "parents": parents, "n": len(self.commits)}
        self.commits[sha(commit)] = commit
        return sha(commit)

    def _ancestors(self, name: str) -> set[str]:
        found, todo = set(), [name]
        while todo:
            one = todo.pop()
            found.add(one)
            todo += self.commits[one]["parents"]
        return found


class _Broken(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.fault = fault


_N = r"(\d+)"
_ROUTES: list[tuple[str, str, str, Callable[..., tuple[int, Any]]]] = [
    ("GET", "", "contents|issues|pull_requests", GitHub.repo),
    ("GET", f"/issues/{_N}/comments", "issues|pull_requests", GitHub.list_comments),
    ("POST", f"/issues/{_N}/comments", "issues|pull_requests", GitHub.add_comment),
    ("PATCH", f"/issues/comments/{_N}", "issues|pull_requests", GitHub.edit_comment),
    ("DELETE", f"/issues/comments/{_N}", "issues|pull_requests", GitHub.drop_comment),
    ("GET", "/issues", "issues", GitHub.list_issues),
    ("POST", "/issues", "issues", GitHub.add_issue),
    ("PATCH", f"/issues/{_N}", "issues", GitHub.edit_issue),
    ("GET", "/pulls", "pull_requests", GitHub.list_pulls),
    ("POST", "/pulls", "pull_requests", GitHub.add_pull),
    ("GET", f"/pulls/{_N}", "pull_requests", GitHub.get_pull),
    ("PATCH", f"/pulls/{_N}", "pull_requests", GitHub.edit_pull),
    ("GET", "/git/ref/heads/(.+)", "contents", GitHub.get_ref),
    ("POST", "/git/refs", "contents", GitHub.add_ref),
    ("PATCH", "/git/refs/heads/(.+)", "contents", GitHub.edit_ref),
    ("DELETE", "/git/refs/heads/(.+)", "contents", GitHub.drop_ref),
    ("GET", "/git/commits/(.+)", "contents", GitHub.get_commit),
    ("POST", "/git/commits", "contents", GitHub.add_commit),
    ("POST", "/git/blobs", "contents", GitHub.add_blob),
    ("POST", "/git/trees", "contents", GitHub.add_tree),
]


def _handler(github: GitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _do(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                status, data, more = github.answer(self.command, self.path, headers, raw)
                body = b"" if data is None else json.dumps(data).encode()
            except _Broken as broken:
                fault = broken.fault
                if fault.drop:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, body, more = fault.status, fault.body, fault.headers
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **more}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = _do

    return Handler
