"""What Paceline knows about measuring, metrics and comparing. Never sees Streamlit, DuckDB or storage."""
