"""Mutations of a submitted notebook, by the level that they change."""
