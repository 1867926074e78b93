"""The parts of a probe, below `core.probe`."""
