"""A take-home pack on the candidate's machine: its manifest, work files and work log."""
