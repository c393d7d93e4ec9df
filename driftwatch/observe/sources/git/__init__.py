"""A git repository as a source: a bare partial mirror in the cache, holding only what was asked for.

``Mirror`` is the whole interface; ``installed`` tells the version of git itself. Everything that goes wrong raises
Unobservable with git's own reason.
"""

from driftwatch.observe.sources.git.command import installed
from driftwatch.observe.sources.git.mirror import Blob, Mirror
from driftwatch.observe.sources.git.objects import Entry
from driftwatch.observe.sources.git.rename import Renamed

__all__ = ["Blob", "Entry", "Mirror", "Renamed", "installed"]
