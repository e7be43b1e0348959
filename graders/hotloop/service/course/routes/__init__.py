"""The routes of a class, by subject."""
