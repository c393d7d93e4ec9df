"""A package and everything its declarations need, each at one version. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Package:
    """One package of the tree. ``dependencies`` are names of the tree's packages, each as ``name@version``."""

    name: str
    version: str
    integrity: str
    dependencies: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Tree:
    """A package and everything its declarations need, by ``name@version``. ``problems``: import -> why it leads nowhere."""

    root: str
    packages: Mapping[str, Package]
    problems: Mapping[str, str] = field(default_factory=dict)
    node: str = ""  # the package that declares Node's own modules and globals, when they are used

    def digest(self, key: str | None = None) -> str:
        """Names the contents: two trees (or parts of one) with the same digest have the same types."""
        reached: dict[str, Any] = {}
        queue = [key or self.root]
        while queue:
            one = self.packages[queue.pop()]
            if one.key not in reached:
                reached[one.key] = [one.integrity, sorted(one.dependencies.items())]
                queue.extend(one.dependencies.values())
        text = json.dumps([key or self.root, sorted(reached.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def names(self) -> set[str]:
        return {one.name for one in self.packages.values()}

    def only_for(self, keys: Sequence[str]) -> list[str]:
        """The packages that only these need."""
        wanted = {needed for key in keys for needed in self.packages[key].dependencies.values()}
        others = {needed for key, one in self.packages.items() if key not in keys for needed in one.dependencies.values()}
        return sorted(wanted - others - set(keys) - {self.node})

    def follow(self) -> tuple[str, ...]:
        """The packages whose types move with the root's: its own scope, and what is published in step with it."""
        root = self.packages[self.root]
        scope = root.name.partition("/")[0] + "/" if root.name.startswith("@") else None
        names = {root.name}
        for one in self.packages.values():
            in_step = one.version == root.version or (scope and one.name.startswith(scope) and scope != "@types/")
            if in_step and one.key in root.dependencies.values():
                names.add(one.name)
        return tuple(sorted(names))
