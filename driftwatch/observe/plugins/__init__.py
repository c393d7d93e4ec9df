"""Real plugins: had with their dependencies (``install``), exercised on a real host behind walls (``exercise``), and compared
with the same exercise without them (``effects``, ``faults``)."""
