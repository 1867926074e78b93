"""Model servers that Paceline starts itself: the bundled llama.cpp engine and the paced simulator."""
