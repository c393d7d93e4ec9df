"""References in the project's own documents to lines of the upstream's files, as facts: ``anchor:DOCUMENT#PATH:LINE``.

The old side is what the document says: ``path`` and ``lines`` (``12`` or ``12-15``) in the upstream's repository, the
``text`` that stands there (its first line, for people) and its ``digest``. The new side is where that text is in the new
commit; there is no fact when it is nowhere. ``where`` is the line of the document.

Which text is meant: at the commit the reference names itself, else at the one it was accepted at, which the lock remembers: a
document that was not corrected when its text moved keeps meaning that text.
"""

from driftwatch.observe.facts.anchors.observe import Sides, observe
from driftwatch.observe.facts.anchors.references import documents

__all__ = ["Sides", "documents", "observe"]
