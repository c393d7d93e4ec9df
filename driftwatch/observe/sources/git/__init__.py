"""A git repository as a source: a bare partial mirror in the cache, holding only what was asked for.

``Mirror`` is the whole interface. Everything that goes wrong raises Unobservable with git's own reason.
"""

from driftwatch.observe.sources.git.mirror import Blob, Mirror
from driftwatch.observe.sources.git.objects import Entry

__all__ = ["Blob", "Entry", "Mirror"]
