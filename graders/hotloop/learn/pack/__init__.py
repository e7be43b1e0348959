"""A take-home pack's folder on the candidate's machine: manifest, work files, work log."""
