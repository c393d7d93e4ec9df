"""A small MCP server on stdio: three tools (one never answers), a log line, and a record of everything the host sent."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Values = dict[str, Any]

seen = Path(sys.argv[1])
CONTENT = [{"type": "text", "text": "text-of-the-server"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]
LOGGED = {"level": "warning", "logger": "probe", "data": "logged-by-the-server"}
SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def initialize(params: Values) -> Values:
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {"listChanged": True}, "logging": {}, "prompts": {}, "resources": {}},
        "serverInfo": {"name": "probe", "version": "1.0.0"},
    }


def tool(name: str) -> Values:
    return {"name": name, "description": f"{name} of the server", "inputSchema": SCHEMA}


def call(params: Values) -> Values | None:
    if params["name"] == "hang":
        return None
    if params["name"] == "speak":
        send({"method": "notifications/message", "params": LOGGED})
        return {"content": CONTENT, "structuredContent": {"word": params["arguments"].get("word")}}
    return {"content": [{"type": "text", "text": "failed-by-the-server"}], "isError": True}


ANSWERS: dict[str, Callable[[Values], Values | None]] = {
    "initialize": initialize,
    "tools/list": lambda _: {
        "tools": [
            {"name": name, "description": f"{name} of the server", "inputSchema": SCHEMA} for name in ("speak", "fail", "hang")
        ]
    },
    "tools/call": call,
    "prompts/list": lambda _: {"prompts": [{"name": "greet", "description": "a prompt", "arguments": []}]},
    "resources/list": lambda _: {"resources": [{"uri": "probe://one", "name": "one"}]},
    "logging/setLevel": lambda _: {},
    "ping": lambda _: {},
}


def send(message: Values) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    with seen.open("a") as file:
        file.write(json.dumps({"mark": "mcp", "method": method, "params": params}) + "\n")
    if "id" in message and method in ANSWERS:
        if (result := ANSWERS[method](params)) is not None:
            send({"id": message["id"], "result": result})
    elif "id" in message and method:
        send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
