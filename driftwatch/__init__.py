"""driftwatch: does what we rely on in a fast-moving upstream still hold, and from which version on?"""

__version__ = "0.1.0"
