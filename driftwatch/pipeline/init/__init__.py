"""`driftwatch init`: from a project's folder to a watchlist that fits it, and the lock that accepts what it is pinned to."""

from driftwatch.pipeline.init.make import Made, make, write

__all__ = ["Made", "make", "write"]
