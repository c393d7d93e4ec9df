"""Ids of the parts of a page: stable over runs, safe, each given out once."""

from __future__ import annotations

from driftwatch.model import FileRow, Finding, ProbeRow, UpstreamReport
from driftwatch.render import view
from driftwatch.render.page import slug


class Anchors:
    """The id of each finding (by its fingerprint), upstream and diff, so that a link to one stays right over runs."""

    def __init__(self, upstreams: tuple[UpstreamReport, ...]) -> None:
        self._all = upstreams
        self._counts: dict[str, int] = {}
        self._findings: dict[int, str] = {}
        self._upstreams: dict[int, str] = {}
        self._files: dict[tuple[int, int], str] = {}
        self._diffs: dict[int, str] = {}  # of findings about a file whose diff is on the page
        self._probes: dict[tuple[int, int], str] = {}
        self._rules: dict[str, str] = {}
        for upstream in upstreams:
            self._upstreams[id(upstream)] = self._unique(f"u-{slug(upstream.id)}")
            for finding in upstream.findings:
                self._findings[id(finding)] = self._unique(f"f-{slug(finding.fingerprint)}")
                if finding.rule not in self._rules:
                    self._rules[finding.rule] = self._unique(f"r-{slug(finding.rule)}")
            for probe in upstream.probes:
                names = slug(probe.id.replace("/", "-")), slug(probe.version.replace(".", "-"))
                self._probes[id(upstream), id(probe)] = self._unique(f"p-{names[0]}-{names[1]}")
            self._note_files(upstream)

    def finding(self, finding: Finding) -> str:
        return self._findings[id(finding)]

    def knows(self, finding: Finding) -> bool:
        """Whether the finding is on the page (those of early versions are not)."""
        return id(finding) in self._findings

    def probe(self, upstream: UpstreamReport, row: ProbeRow) -> str:
        return self._probes[id(upstream), id(row)]

    def rule(self, rule: str) -> str:
        return self._rules[rule]

    def upstream(self, upstream: UpstreamReport) -> str:
        return self._upstreams[id(upstream)]

    def gaps(self, upstream: str) -> str:
        """Where an upstream, by its id, tells what could not be looked at; its heading where it has no such part."""
        for one in self._all:
            if one.id == upstream:
                return self.upstream(one) + ("-gaps" if one.gaps else "")
        return "main"

    def file(self, upstream: UpstreamReport, row: FileRow) -> str:
        return self._files[id(upstream), id(row)]

    def diff(self, finding: Finding) -> str:
        """The id of the diff a finding is about, or ""."""
        return self._diffs.get(id(finding), "")

    def _note_files(self, upstream: UpstreamReport) -> None:
        diffs: dict[str, str] = {}
        for row in upstream.files:
            if row.diff and row.change not in view.QUIET_FILES:
                diffs[row.path] = self._files[id(upstream), id(row)] = self._unique(f"d-{slug(row.path)}")
        for finding in upstream.findings:
            if finding.address.kind == "file" and finding.address.subject in diffs:
                self._diffs[id(finding)] = diffs[finding.address.subject]

    def _unique(self, name: str) -> str:
        count = self._counts[name] = self._counts.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"
