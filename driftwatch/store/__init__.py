"""State on disk: what was accepted (lock), what the last look saw (observed), one line per run (history).

Versioned, sorted, written whole or not at all. A file that is broken is refused with its line and left as it is.
"""
