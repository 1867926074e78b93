"""Who runs the measuring child: its supervision and the registry of live runs."""
