"""How code that is not trusted runs here: what it may see, use, and how it is stopped.

The package knows nothing of judging. It starts a process behind bubblewrap, holds it to its limits,
can make its whole process tree stand still, and leaves nothing behind.
"""
