"""Integrity signals: what a person should look at, with its evidence and its innocent explanation.

None of them is a verdict, and none moves a score.
"""
