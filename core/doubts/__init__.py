"""Reasons to doubt a run's numbers, one file a topic. Knows records and summaries, never a page."""
