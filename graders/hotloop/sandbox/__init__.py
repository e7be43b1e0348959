"""Runs untrusted code: what a process can see and use, its limits, and how it is stopped.

The package knows nothing about grading. It starts a process behind bubblewrap, enforces its limits,
can freeze its whole process tree, and removes everything that it created on the machine.
"""
