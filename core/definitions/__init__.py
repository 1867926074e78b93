"""What every term means. Knows words and formulas, never a record and never a number."""
