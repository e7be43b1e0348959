"""A class at a glance: one page a course, for those who teach it."""
