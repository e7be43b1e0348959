"""The learner's side: notebook, practice, question bank, and judging elsewhere."""
