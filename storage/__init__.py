"""The one DuckDB file. Knows records and plans, never how they are made."""
