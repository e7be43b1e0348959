"""A take-home pack's folder on the candidate's machine: manifest, work files, work log."""

MANIFEST = "manifest.json"
"""The signed file by which a folder is a pack; `manifest.py` says what it holds."""
