"""What several pages show. Sees Streamlit; holds no arithmetic, SQL, sockets or threads."""
