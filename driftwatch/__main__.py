"""``python -m driftwatch``."""

from driftwatch.cli import entry

if __name__ == "__main__":
    entry()
