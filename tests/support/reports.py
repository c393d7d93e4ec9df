"""Sample reports, one of each kind, made by hand; every renderer is tried on all of them."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin, get_type_hints

from driftwatch import model
from driftwatch.model import (
    Address,
    EarlyRow,
    FileRow,
    Finding,
    FloorMark,
    Gap,
    Json,
    PackageRow,
    ProbeRow,
    Ref,
    ReleaseRow,
    RelianceRow,
    Report,
    ScriptRow,
    TagRow,
    TrendRow,
    UpstreamReport,
    Waived,
)

PLUGIN = "@opencode-ai/plugin"
OLD_COMMIT = "1f4c8a0e5b7d9c3a2e6f80b1d4c5a6978e0f1a2b"
NEW_COMMIT = "9b0d3e7c1a5f42688d2b6e9f0c7a4d5e3b8f1c60"

DIFF = """\
--- a/packages/plugin/src/index.ts
+++ b/packages/plugin/src/index.ts
@@ -186,9 +186,11 @@ export interface Hooks {
   event?: (input: { event: Event }) => Promise<void>
   config?: (input: Config) => Promise<void>
+  /** Called when the instance is disposed. */
+  dispose?: () => Promise<void>
   tool?: {
     [key: string]: ToolDefinition
   }
-  auth?: AuthHook
+  auth?: AuthHook | undefined
   /**
    * Called when a new message is received
    */
"""

SPEC_DIFF = """\
--- a/packages/sdk/openapi.json
+++ b/packages/sdk/openapi.json
@@ -14,7 +14,7 @@
     "/global/upgrade": {
       "post": {
         "requestBody": {
-          "required": false,
+          "required": true,
           "content": {}
"""


PLUGIN_SOURCE = """\
// Writes down that it was asked to end.
export const probe = async ({ directory }) => ({
  dispose: async () => mark("dispose"),
})
"""

RELEASES = (
    ReleaseRow("1.14.50", "2026-04-30T10:00:00.000Z"),
    ReleaseRow("1.14.51", "2026-05-02T10:00:00.000Z", "use 1.15"),
    ReleaseRow("1.15.0-beta.1", "2026-05-03T10:00:00.000Z"),
    ReleaseRow("1.15.4", "2026-05-11T10:00:00.000Z"),
    ReleaseRow("1.15.7", "2026-05-20T08:30:00.000Z"),
    ReleaseRow("1.15.13", "2026-05-29T16:45:00.000Z"),
)


def finding(rule: str, address: str, **given: Any) -> Finding:
    values: dict[str, Any] = {
        "severity": "info",
        "role": "implementer",
        "confidence": "proven",
        "before": None,
        "after": None,
        "where": "",
        "args": {},
        "relied_on": (),
        "waived": None,
        "counts": False,
        **given,
    }
    fingerprint = hashlib.sha256(f"{rule} {address}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Finding(rule=rule, address=Address(address), fingerprint=fingerprint, **values)


def ref(version: str, commit: str = "") -> Ref:
    return Ref("opencode", version, PLUGIN, commit, f"sha512-{hashlib.sha256(version.encode()).hexdigest()[:24]}")


def report(outcome: model.Outcome, exit_code: int, *upstreams: UpstreamReport) -> Report:
    return Report(
        schema_version=1,
        tool_version="0.1.0",
        generated_at="2026-07-17T06:00:00Z",
        project="overclock",
        outcome=outcome,
        exit_code=exit_code,
        upstreams=upstreams,
        rerun="driftwatch run --watchlist watchlist.yaml",
    )


def compatible() -> Report:
    """Upstream moved; everything relied on was seen and is the same."""
    return report(
        "compatible",
        0,
        UpstreamReport(
            id="opencode",
            before=ref("1.18.4", OLD_COMMIT),
            after=ref("1.18.33", NEW_COMMIT),
            outcome="compatible",
            early=(
                EarlyRow(
                    PLUGIN,
                    "dispose-v2",
                    "",
                    "2.0.0-beta.1",
                    "added",
                    ("ts:@opencode-ai/plugin#Hooks.dispose",),
                    "broken",
                    (finding("ts-removed", "ts:@opencode-ai/plugin#Hooks.dispose", severity="breaking", before="() => void"),),
                ),
                EarlyRow(PLUGIN, "beta", "1.18.0-beta.2", "1.18.0-beta.2", "same"),
            ),
            tags=(
                TagRow(PLUGIN, "latest", "1.18.33", "1.18.33", "same"),
                TagRow(PLUGIN, "beta", "1.18.0-beta.2", "1.18.0-beta.2", "same"),
            ),
            packages=(PackageRow(PLUGIN, "1.18.4", "1.18.33"), PackageRow("opencode-linux-x64", "1.18.4", "1.18.33")),
            reliances=(
                RelianceRow(
                    "ts:@opencode-ai/plugin#Hooks.dispose",
                    "ends our timers",
                    "holds",
                    "() => Promise<void>",
                    "() => Promise<void>",
                    facts=1,
                ),
                RelianceRow("probe:opencode/dispose#fired", "writes the marker on dispose", "holds", True, True, facts=2),
            ),
            probes=(
                ProbeRow("opencode/load", "1.18.4", "holds", {"loaded": True}, seconds=2.61, title="The plugin loads"),
                ProbeRow("opencode/load", "1.18.33", "holds", {"loaded": True}, seconds=2.44, title="The plugin loads"),
                ProbeRow("opencode/dispose", "1.18.4", "holds", {"fired": True}, seconds=2.9, title="dispose is called"),
                ProbeRow("opencode/dispose", "1.18.33", "holds", {"fired": True}, seconds=2.7, title="dispose is called"),
            ),
        ),
    )


def drifted() -> Report:
    """1.15.4 -> 1.15.13: dispose did not fire before and fires now; nothing relied on breaks."""
    return report(
        "drifted",
        0,
        UpstreamReport(
            id="opencode",
            before=ref("1.15.4", OLD_COMMIT),
            after=ref("1.15.13", NEW_COMMIT),
            outcome="drifted",
            tags=(
                TagRow(PLUGIN, "latest", "1.15.4", "1.15.13", "moved-forward"),
                TagRow(PLUGIN, "dev", "0.0.0-dev-202605011200", "0.0.0-dev-202605281705", "moved-forward"),
                TagRow(PLUGIN, "tui-plugins", "", "0.0.0-tui-plugins-202605210311", "added"),
                TagRow(PLUGIN, "beta", "1.15.0-beta.1", "1.15.0-beta.1", "same"),
            ),
            packages=(
                PackageRow(PLUGIN, "1.15.4", "1.15.13", "1.15.8 to 1.15.10 were never published"),
                PackageRow("opencode-linux-x64", "1.15.4", "1.15.13"),
            ),
            findings=(
                finding(
                    "probe-fixed",
                    "probe:opencode/dispose#outcome",
                    severity="info",
                    before="absent",
                    after="holds",
                    relied_on=("probe:opencode/dispose#fired",),
                    where="dispose-marker.txt",
                ),
                finding(
                    "file-changed",
                    "file:packages/plugin/src/index.ts",
                    severity="risky",
                    before="4c1d2e",
                    after="8f03ab",
                    relied_on=("file:packages/plugin/src/**",),
                    where="packages/plugin/src/index.ts:186",
                    args={"added": 3, "removed": 1},
                    counts=True,
                ),
                finding(
                    "manifest-changed",
                    "manifest:@opencode-ai/plugin#dependencies.zod",
                    before="4.1.8",
                    after="4.1.11",
                    where="package/package.json",
                ),
                finding(
                    "manifest-added",
                    "manifest:@opencode-ai/plugin#peerDependencies.@opentui/solid",
                    after=">=0.1.88",
                    where="package/package.json",
                ),
                finding(
                    "tag-added",
                    "tag:@opencode-ai/plugin#tui-plugins",
                    after="0.0.0-tui-plugins-202605210311",
                ),
                finding(
                    "file-removed",
                    "file:packages/plugin/src/example.ts",
                    severity="risky",
                    before="77aa01",
                    relied_on=("file:packages/plugin/src/**",),
                    waived=Waived("the example was only documentation", "2026-12-31"),
                ),
            ),
            reliances=(
                RelianceRow("ts:@opencode-ai/plugin#Hooks.event", "listens for session.idle", "holds", "fn", "fn", facts=1),
                RelianceRow("probe:opencode/dispose#fired", "ends our timers", "changed", False, True, facts=1),
                RelianceRow("file:packages/plugin/src/**", "the shapes of the hooks", "changed", facts=3, facts_before=2),
            ),
            files=(
                FileRow(
                    "packages/plugin/src/index.ts",
                    "packages/plugin/src/**",
                    "the hooks we implement change shape",
                    "changed",
                    added_lines=3,
                    removed_lines=1,
                    diff=DIFF,
                    source="git",
                ),
                FileRow(
                    "packages/plugin/src/example.ts",
                    "packages/plugin/src/**",
                    "the hooks we implement change shape",
                    "removed",
                    removed_lines=21,
                    source="git",
                ),
                FileRow("packages/plugin/src/tui.ts", "packages/plugin/src/**", "the TUI surface", "same", source="git"),
            ),
            probes=(
                ProbeRow("opencode/load", "1.15.4", "holds", {"loaded": True}, seconds=2.61, title="The plugin loads"),
                ProbeRow("opencode/load", "1.15.13", "holds", {"loaded": True}, seconds=2.44, title="The plugin loads"),
                ProbeRow(
                    "opencode/dispose",
                    "1.15.4",
                    "absent",
                    {"fired": False},
                    "loaded, but dispose was never called after POST /instance/dispose",
                    5.12,
                    ("POST /instance/dispose -> 200 true", "no dispose-marker.txt after 2.0 s"),
                    "dispose is called",
                ),
                ProbeRow(
                    "opencode/dispose",
                    "1.15.13",
                    "holds",
                    {"fired": True, "times": 1},
                    seconds=2.97,
                    evidence=("POST /instance/dispose -> 200 true", "dispose-marker.txt: dispose 1"),
                    title="dispose is called",
                ),
            ),
            releases=RELEASES,
            floors=(
                FloorMark("ts:@opencode-ai/plugin#Hooks.event", "declared", "oldest", "0.5.28"),
                FloorMark("probe:opencode/dispose#fired", "behaving", "found", "1.15.13", "1.15.7"),
            ),
            minimum="1.15.13",
            trend=(
                TrendRow("2026-05-11T06:00:00Z", "compatible", "1.14.50", "1.15.4", 0, 0, 0, 3, 3),
                TrendRow("2026-05-21T06:00:00Z", "broken", "1.15.4", "1.15.7", 2, 1, 0, 1, 3),
                TrendRow("2026-07-17T06:00:00Z", "drifted", "1.15.4", "1.15.13", 0, 1, 0, 1, 3),
            ),
            scripts=(ScriptRow("opencode/dispose", "PLUGINS/probe.js", PLUGIN_SOURCE),),
        ),
    )


def broken() -> Report:
    """1.15.13 -> 1.15.4: dispose fires at the accepted version and not at the new one."""
    return report(
        "broken",
        10,
        UpstreamReport(
            id="opencode",
            before=ref("1.15.13", NEW_COMMIT),
            after=ref("1.15.4", OLD_COMMIT),
            outcome="broken",
            tags=(TagRow(PLUGIN, "latest", "1.15.13", "1.15.4", "moved-backward", "1.15.13"),),
            packages=(PackageRow(PLUGIN, "1.15.13", "1.15.4"), PackageRow("opencode-linux-x64", "1.15.13", "1.15.4")),
            findings=(
                finding(
                    "probe-broken",
                    "probe:opencode/dispose#outcome",
                    severity="breaking",
                    before="holds",
                    after="absent",
                    relied_on=("probe:opencode/dispose#fired", "src/shutdown.ts:41"),
                    counts=True,
                ),
                finding(
                    "ts-removed",
                    "ts:@opencode-ai/plugin#Hooks.dispose",
                    severity="breaking",
                    confidence="likely",
                    before="() => Promise<void>",
                    where="package/dist/index.d.ts:190",
                    relied_on=("ts:@opencode-ai/plugin#Hooks.dispose",),
                    counts=True,
                ),
                finding(
                    "tag-moved-backward",
                    "tag:@opencode-ai/plugin#latest",
                    severity="risky",
                    role="consumer",
                    before="1.15.13",
                    after="1.15.4",
                    relied_on=("tag:@opencode-ai/plugin#latest",),
                    counts=True,
                ),
                finding("manifest-removed", "manifest:@opencode-ai/plugin#peerDependencies.@opentui/solid", before=">=0.1.88"),
            ),
            reliances=(
                RelianceRow(
                    "probe:opencode/dispose#fired",
                    "ends our timers; without it the watcher leaks one interval per reload",
                    "breaks",
                    True,
                    False,
                    "holds before, absent now",
                    1,
                ),
                RelianceRow(
                    "ts:@opencode-ai/plugin#Hooks.dispose",
                    "our hooks object declares it",
                    "breaks",
                    "() => Promise<void>",
                    None,
                    facts_before=1,
                ),
                RelianceRow("ts:@opencode-ai/plugin#Hooks.event", "listens for session.idle", "holds", "fn", "fn", facts=1),
                RelianceRow("tag:@opencode-ai/plugin#latest", "what users install", "changed", "1.15.13", "1.15.4", facts=1),
            ),
            files=(
                FileRow(
                    "packages/sdk/openapi.json",
                    "packages/sdk/openapi.json",
                    "our HTTP client is generated from it",
                    "changed",
                    added_lines=1,
                    removed_lines=1,
                    diff=SPEC_DIFF,
                    source="git",
                ),
            ),
            probes=(
                ProbeRow("opencode/load", "1.15.13", "holds", {"loaded": True}, seconds=2.44, title="The plugin loads"),
                ProbeRow("opencode/load", "1.15.4", "holds", {"loaded": True}, seconds=2.61, title="The plugin loads"),
                ProbeRow(
                    "opencode/dispose",
                    "1.15.13",
                    "holds",
                    {"fired": True},
                    seconds=2.97,
                    evidence=("POST /instance/dispose -> 200 true", "dispose-marker.txt: dispose 1"),
                    title="dispose is called",
                ),
                ProbeRow(
                    "opencode/dispose",
                    "1.15.4",
                    "absent",
                    {"fired": False},
                    "loaded, but dispose was never called after POST /instance/dispose",
                    5.12,
                    ("POST /instance/dispose -> 200 true", "no dispose-marker.txt after 2.0 s"),
                    "dispose is called",
                ),
            ),
        ),
    )


def unverified() -> Report:
    """The repository could not be reached: what it would have shown is not known, the rest stands."""
    return report(
        "unverified",
        11,
        UpstreamReport(
            id="opencode",
            before=Ref("opencode", "1.18.4", PLUGIN),
            after=Ref("opencode", "1.18.33", PLUGIN),
            outcome="unverified",
            tags=(
                TagRow(PLUGIN, "latest", "1.18.4", "1.18.33", "moved-forward"),
                TagRow("@opencode/plugin", "latest", "", "", "unknown"),
            ),
            packages=(PackageRow(PLUGIN, "1.18.4", "1.18.33"),),
            reliances=(
                RelianceRow(
                    "file:packages/plugin/src/**",
                    "the shapes of the hooks",
                    "unverified",
                    reason="git: could not resolve host: git.example.invalid",
                ),
                RelianceRow("ts:@opencode-ai/plugin#Hooks.event", "listens for session.idle", "holds", "fn", "fn", facts=1),
            ),
            files=(FileRow("packages/plugin/src/index.ts", "packages/plugin/src/**", "the hooks change shape", "unverified"),),
            probes=(
                ProbeRow("opencode/load", "1.18.4", "holds", {"loaded": True}, seconds=2.61, title="The plugin loads"),
                ProbeRow(
                    "opencode/load",
                    "1.18.33",
                    "unverified",
                    {},
                    "the host did not answer GET /config within 30 s",
                    30.0,
                    ("server listening on http://127.0.0.1:40213",),
                    "The plugin loads",
                ),
            ),
            gaps=(
                Gap(
                    "file:**",
                    "git: could not resolve host: git.example.invalid",
                    "set `git:` of upstream opencode to a repository or a local mirror that can be reached",
                ),
                Gap("manifest:@opencode/plugin", "the registry answered 404: @opencode/plugin is not published there"),
            ),
        ),
    )


def many(number: int) -> Report:
    """So many findings: a fifth of them counts, a fifth is relied on and does not, the rest touches nothing."""
    rows = tuple(
        finding(
            ("ts-removed", "ts-changed", "manifest-changed")[n % 3],
            f"ts:@opencode-ai/plugin/tui#TuiPluginApi.part{n // 7}.member{n}",
            severity=("breaking", "risky", "info")[n % 3],
            before="(input: { sessionID: string; messageID?: string }) => Promise<void>",
            after=None if n % 3 == 0 else "(input: { sessionID: string }, signal: AbortSignal) => Promise<boolean>",
            relied_on=("ts:@opencode-ai/plugin/tui#TuiPluginApi.**",) if n % 5 < 2 else (),
            where=f"package/dist/tui.d.ts:{n}",
            counts=n % 5 == 0,
        )
        for n in range(number)
    )
    one = broken().upstreams[0]
    return report("broken", 10, dataclasses.replace(one, findings=rows))


NASTY: tuple[str, ...] = (
    "<script>document.title='owned'</script>",
    "</style></title></details></svg><img src=x onerror=document.title='owned'>",
    "\" onerror=document.title='owned' onmouseover=\"alert(1)",
    "javascript:document.title='owned'",
    "a | b || c\\| d `code` ``` **bold** _em_ ~~gone~~ [link](https://evil.example) ![i](https://evil.example/i.png)",
    "x\n\n# heading\n\n| a | b |\n|---|---|\n- item\n> quote\n```\nfence\n~~~\n",
    "\n::warning file=a,line=1::owned\n::set-output name=x::y\n##[error]owned",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 \x9b2J",
    "\u202eevil\u2066hidden\u2069 \u200b\u2028\u2029\ufeff",
    "nul\x00 del\x7f bell\x07",
    "lone \ud800 and \udfff",
    "@someone closes #1 GH-2 owner/repo#3 https://evil.example www.evil.example a@b.example",
    "{{ 7*7 }} {% raw %} {0.__class__} %s ${jndi:x} $(touch owned) `id`",
    "]]> <![CDATA[ --> <!-- &lt; &#60; &amp;",
)


OUR_WORDS = {("TagRow", "change"): "moved-backward", ("FileRow", "change"): "renamed", ("RelianceRow", "status"): "breaks"}


def everything(text: str = "", size: int = 1, our_words: Mapping[tuple[str, str], str] = OUR_WORDS) -> Report:
    """Every string field of every type holds hostile text (``text``, or all of NASTY in turn), ``size`` of each row.
    ``our_words`` are the fields that only driftwatch itself fills."""
    texts = iter(_cycle((text,) if text else NASTY))
    whole = _filled(Report, lambda: next(texts), size, our_words)
    assert isinstance(whole, Report)
    return dataclasses.replace(whole, schema_version=1, outcome="broken", exit_code=10)


def everything_and_our_words() -> Report:
    """``everything``, and hostile text even where only driftwatch writes: a report file somebody made by hand."""
    return everything(our_words={})


def everything_but_strange() -> Report:
    """``everything`` without lone surrogates, so that it survives UTF-8."""
    return everything("\n".join(text for text in NASTY if "\ud800" not in text), 2)


SAMPLES: Mapping[str, Callable[[], Report]] = {
    "compatible": compatible,
    "drifted": drifted,
    "broken": broken,
    "unverified": unverified,
}


def _cycle(texts: tuple[str, ...]) -> Any:
    while True:
        yield from texts


def _filled(kind: Any, text: Callable[[], str], size: int, ours: Mapping[tuple[str, str], str]) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind, {**vars(sys.modules[kind.__module__]), "Json": str})
        names = [field.name for field in dataclasses.fields(kind)]
        values = {name: ours.get((kind.__name__, name)) or _filled(hints[name], text, size, ours) for name in names}
        if kind is Finding:
            values.update(counts=True, severity="breaking")
        return kind(**values)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(_filled(arguments[0], text, size, ours) for _ in range(size * (3 if arguments[0] is Finding else 1)))
    if origin is Mapping or str(origin) == "<class 'collections.abc.Mapping'>":
        return {text(): _value(text) for _ in range(2)}
    if str(origin).endswith("Literal"):
        return arguments[-1]
    if arguments:  # X | None
        return _filled(next(item for item in arguments if item is not type(None)), text, size, ours)
    return _scalar(kind, text)


def _value(text: Callable[[], str]) -> Json:
    return {text(): [text(), 1.5, None, True]}


def _scalar(kind: Any, text: Callable[[], str]) -> Any:
    if kind is Address:
        return Address(f"ts:{text()}#{text()}")
    if kind is str:
        return text()
    return {int: 1, float: 1.5, bool: True}[kind]
