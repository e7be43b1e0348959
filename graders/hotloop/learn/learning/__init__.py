"""A learner's path: the graph of prerequisites, the progress on it, and where to begin."""
