"""A small runner for the workflows of this project: the steps are run as they are written, by bash, with a fresh environment.

What other people's actions do is stood in for: a checkout is there already, artifacts and the cache are folders.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent
_TOKEN = re.compile(r"\s*(\|\||&&|==|!=|!|\(|\)|'(?:[^']|'')*'|[A-Za-z_][\w.-]*)")


def workflow(name: str) -> dict[str, Any]:
    """A workflow of ours, by its file's name."""
    data: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows" / name).read_text("utf-8"))
    return data


class Expression:
    """The part of GitHub's expression language that our files use."""

    def __init__(self, text: str, contexts: dict[str, Any]) -> None:
        self._tokens = _TOKEN.findall(text)
        assert "".join(self._tokens) == re.sub(r"\s+(?=(?:[^']*'[^']*')*[^']*$)", "", text), f"not understood: {text}"
        self._contexts = contexts

    def value(self) -> Any:
        value = self._either()
        assert not self._tokens, self._tokens
        return value

    def _either(self) -> Any:
        value = self._both()
        while self._take("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> Any:
        value = self._compared()
        while self._take("&&"):
            other = self._compared()
            value = value and other
        return value

    def _compared(self) -> Any:
        value = self._one()
        for sign in ("==", "!="):
            if self._take(sign):
                return (value == self._one()) is (sign == "==")
        return value

    def _one(self) -> Any:
        if self._take("!"):
            return not self._one()
        if self._take("("):
            value = self._either()
            assert self._take(")")
            return value
        token = self._tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self._take("("):
            assert token == "always" and self._take(")")
            return True
        value: Any = self._contexts
        for part in token.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value

    def _take(self, token: str) -> bool:
        if self._tokens and self._tokens[0] == token:
            self._tokens.pop(0)
            return True
        return False


def fill(text: Any, contexts: dict[str, Any]) -> str:
    """``text`` with every ``${{ }}`` replaced, as GitHub writes values."""

    def said(match: re.Match[str]) -> str:
        value = Expression(match[1].strip(), contexts).value()
        return str(value).lower() if isinstance(value, bool) else str(value)

    return re.sub(r"\$\{\{(.*?)\}\}", said, str(text))


@dataclass
class Done:
    """What a job left behind. ``failed`` names the step that failed, "" when none did."""

    failed: str = ""
    out: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)


@dataclass
class Runner:
    """``github`` is the context; ``folder`` holds artifacts, the cache and the home of every job; ``environment`` is added."""

    folder: Path
    github: dict[str, Any]
    environment: dict[str, str]
    _jobs: int = 0

    def run(self, flow: dict[str, Any], job: str, workspace: Path, inputs: dict[str, Any] | None = None, **needs: Done) -> Done:
        """One job in ``workspace``."""
        self._jobs += 1
        spec = flow["jobs"][job]
        temp = self.folder / f"temp-{self._jobs}"
        self._install(temp)
        contexts: dict[str, Any] = {
            "inputs": inputs or {},
            "github": self.github,
            "runner": {"temp": str(temp)},
            "needs": {name: {"outputs": done.outputs} for name, done in needs.items()},
            "steps": {},
        }
        done = Done()
        if "if" in spec and not Expression(spec["if"], contexts).value():
            return done
        self._steps(spec["steps"], contexts, workspace, temp, done)
        done.outputs = {name: fill(text, contexts) for name, text in spec.get("outputs", {}).items()}
        return done

    def _install(self, temp: Path) -> None:
        """driftwatch as the action would have installed it."""
        program = temp / "driftwatch/bin/driftwatch"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m driftwatch "$@"\n')
        program.chmod(0o755)

    def _steps(self, steps: list[dict[str, Any]], contexts: dict[str, Any], workspace: Path, temp: Path, done: Done) -> None:
        after: list[Any] = []
        for step in steps:
            when = str(step.get("if", "true"))
            wanted = when == "true" or Expression(when, contexts).value()
            if not wanted or (done.failed and "always()" not in when):
                continue
            name = step.get("name") or step["uses"]
            done.ran.append(name)
            outputs: dict[str, str] = {}
            right = self._step(step, contexts, workspace, temp, done, outputs, after)
            outcome = "success" if right else "failure"
            if "id" in step:
                contexts["steps"][step["id"]] = {"outputs": outputs, "outcome": outcome}
            if not right and not step.get("continue-on-error"):
                done.failed = done.failed or name
        for last in after:
            last()

    def _step(
        self,
        step: dict[str, Any],
        contexts: dict[str, Any],
        workspace: Path,
        temp: Path,
        done: Done,
        outputs: dict[str, str],
        after: list[Any],
    ) -> bool:
        given = {key: fill(text, contexts) for key, text in step.get("with", {}).items()}
        used = str(step.get("uses", "")).partition("@")[0]
        if used.startswith("$/"):
            return self._composite(ROOT / used[2:], given, contexts, workspace, temp, done, outputs)
        match used:
            case "":
                return self._script(step, contexts, workspace, temp, done, outputs)
            case "actions/checkout" | "actions/setup-python":
                assert used != "actions/checkout" or given["persist-credentials"] == "False"
                return True
            case "actions/upload-artifact":
                return self._upload(Path(given["path"]), self.folder / "artifacts" / given["name"])
            case "actions/download-artifact":
                kept = self.folder / "artifacts" / given["name"]
                if kept.is_dir():
                    shutil.copytree(kept, given["path"], dirs_exist_ok=True)
                return kept.is_dir()
            case "actions/cache":
                self._cache(given["path"].split(), workspace, after)
                return True
        raise AssertionError(f"unknown action {used}")

    def _composite(
        self,
        folder: Path,
        given: dict[str, str],
        contexts: dict[str, Any],
        workspace: Path,
        temp: Path,
        done: Done,
        outputs: dict[str, str],
    ) -> bool:
        action = yaml.safe_load((folder / "action.yml").read_text("utf-8"))
        unknown = set(given) - set(action["inputs"])
        assert not unknown, unknown
        inputs = {name: given.get(name, str(spec.get("default", ""))) for name, spec in action["inputs"].items()}
        inner = {**contexts, "inputs": inputs, "steps": {}, "github": {**self.github, "action_path": str(folder)}}
        part = Done()
        self._steps(action["runs"]["steps"], inner, workspace, temp, part)
        outputs.update({name: fill(spec["value"], inner) for name, spec in action["outputs"].items()})
        done.out += part.out
        done.summary += part.summary
        return not part.failed

    def _script(
        self, step: dict[str, Any], contexts: dict[str, Any], workspace: Path, temp: Path, done: Done, outputs: dict[str, str]
    ) -> bool:
        assert "${{" not in step["run"], "values reach a script through its environment only"
        files = {name: temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        script = temp / "script.sh"
        script.write_text(step["run"])
        strict = ["-o", "pipefail"] if step.get("shell") == "bash" else []
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "RUNNER_TEMP": str(temp),
            "GITHUB_WORKSPACE": str(workspace),
            **{name: str(path) for name, path in files.items()},
            **self.environment,
            **{name: fill(text, contexts) for name, text in step.get("env", {}).items()},
        }
        command = ["bash", "--noprofile", "--norc", "-e", *strict, str(script)]
        ended = subprocess.run(command, cwd=workspace, env=variables, capture_output=True, check=False)
        done.out += ended.stdout.decode() + ended.stderr.decode()
        done.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        outputs.update(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return ended.returncode == 0

    def _upload(self, source: Path, kept: Path) -> bool:
        shutil.rmtree(kept, ignore_errors=True)
        if source.is_dir() and any(source.iterdir()):
            shutil.copytree(source, kept)
        return True

    def _cache(self, paths: list[str], workspace: Path, after: list[Any]) -> None:
        """Restored now, saved when the job ends."""
        pairs = []
        for number, text in enumerate(paths):
            path = self.folder / "home" / text[2:] if text.startswith("~/") else workspace / text
            pairs.append((path, self.folder / "cache" / str(number)))
        for path, kept in pairs:
            _copy(kept, path)
        after.append(lambda: [_copy(path, kept) for path, kept in pairs])


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
