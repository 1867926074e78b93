"""Figures from values: distributions, timelines, trade-offs, differences. Knows plotly, never Streamlit or storage."""
