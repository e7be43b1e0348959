"""Integrity signals for people to look at, each with evidence and an innocent explanation.

No signal is a verdict, and none changes a score.
"""
