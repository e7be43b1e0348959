"""Tasks: their texts, solutions, variants and graders, and judging them on this machine."""
