"""For those who write modules: evidence, exploits, other projects' problem forms."""
