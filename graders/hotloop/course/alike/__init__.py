"""Similarity of two submissions, for the reports of take-homes and for a class."""
