"""Watched files of the upstream repository as facts: ``file:PATH`` = ``{"blob", "size", "lines", ...}``.

Read in git, or, where git can't be reached, in the package tarballs that carry the same files. Both sides of a pair are
always read in the same kind of place: a source file is never compared with what was built from it.

The value of a fact:

- ``blob``: git's own id of the content, so that git and a tarball agree; ``size`` in bytes
- ``lines``: lines of text, null for a binary or very large file
- ``mode``, when it is not a plain file: ``executable``, ``link``, ``submodule`` or ``lfs`` (the pointer is what is compared)
- ``as``, when a tarball carries what was built from it: the members compared in its place
- ``renamed_from`` and ``similarity``, at the new place of a followed file
"""

from driftwatch.observe.facts.files.pairs import Pair, Version, observe, pair
from driftwatch.observe.facts.files.tarball import Package

__all__ = ["Package", "Pair", "Version", "observe", "pair"]
