"""The learner's way: the graph of prerequisites, where one stands on it, and where one begins."""
