"""``python -m driftwatch`` and the console script."""

import sys


def main() -> None:
    try:
        from driftwatch.cli import entry  # an interrupt may come while it is imported

        entry()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
