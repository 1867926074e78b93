"""Bytes to meaning and back: event streams, dialects, error bodies. No clock, no socket."""
