"""A small MCP server on stdio: two tools, a log line, and a record of everything the host sent."""

import json
import sys
from pathlib import Path

seen = Path(sys.argv[1])
CONTENT = [{"type": "text", "text": "text-of-the-server"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]


def tool(name):
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    return {"name": name, "description": f"{name} of the server", "inputSchema": schema}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}, "logging": {}, "prompts": {}, "resources": {}},
            "serverInfo": {"name": "probe", "version": "1.0.0"},
        }
    if method == "tools/list":
        return {"tools": [tool("speak"), tool("fail")]}
    if method == "prompts/list":
        return {"prompts": [{"name": "greet", "description": "a prompt", "arguments": []}]}
    if method == "resources/list":
        return {"resources": [{"uri": "probe://one", "name": "one"}]}
    if method == "tools/call" and params["name"] == "speak":
        send({"method": "notifications/message", "params": {"level": "warning", "logger": "probe", "data": "logged-by-the-server"}})
        return {"content": CONTENT, "structuredContent": {"word": params["arguments"].get("word")}}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "failed-by-the-server"}], "isError": True}
    return {} if method in {"ping", "logging/setLevel"} else None


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    with seen.open("a") as file:
        file.write(json.dumps({"mark": "mcp", "method": message.get("method"), "params": message.get("params")}) + "\n")
    if "id" not in message or "method" not in message:
        continue
    result = answer(message["method"], message.get("params") or {})
    said = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no such method"}}
    send({"id": message["id"], **said})
