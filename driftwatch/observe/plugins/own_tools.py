"""A scene made for one plugin: the model calls each of its own tools once, with the least arguments its schema permits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from driftwatch.observe.hosts.model import Request
from driftwatch.observe.plugins.job import Job
from driftwatch.observe.probes.definition import Probe, Step

MOST = 12  # tools that are tried
DEEPEST = 4
LEAST: Mapping[str, Any] = {"string": "driftwatch", "number": 1, "integer": 1, "boolean": False, "array": [], "object": {}}


def scene(requests: Sequence[Request], job: Job) -> Probe | None:
    """None when the model was offered no tool that is not there without the plugin (``job.known``)."""
    offered = dict(_offered(requests))
    own = [name for name in sorted(offered) if name not in job.known][:MOST]
    if job.plugin is None or not own:
        return None
    steps = [Step("post", "/session", 1, body={"title": "own tools"}, save="session")]
    facts = {}
    for number, name in enumerate(own):
        call = f"mock:tool {name} {json.dumps(least(offered[name]))}"
        parts = [{"type": "text", "text": f"go\n{call}\nmock:say called"}]
        body = {"model": {"providerID": "mock", "modelID": "m1"}, "parts": parts}
        steps.append(Step("post", "/session/${session.id}/message", number + 2, body=body, save=f"t{number}", seconds=8))
        facts[name] = f"answers.t{number}.info.id && 'called'"
    return Probe(
        f"{job.driver}/own tools", "the plugin's own tools", "", job.driver, "", {}, tuple(steps), facts, {}, {}, loads=""
    )


def _offered(requests: Iterable[Request]) -> Iterator[tuple[str, Any]]:
    for request in requests:
        body = request.body if isinstance(request.body, dict) else {}
        for tool in body.get("tools") or []:
            function = tool.get("function") if isinstance(tool, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                yield function["name"], function.get("parameters")


def least(schema: Any, depth: int = 0) -> Any:
    """The smallest value a JSON Schema permits, as far as it says so plainly."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return {}
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0] if key == "enum" else least(schema[key][0], depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object" or (kind is None and "properties" in schema):
        given, required = schema.get("properties"), schema.get("required")
        properties = given if isinstance(given, dict) else {}
        needed = required if isinstance(required, list) else []
        return {name: least(properties.get(name), depth + 1) for name in needed if isinstance(name, str)}
    return LEAST.get(str(kind), "driftwatch" if kind is None and depth else {})
