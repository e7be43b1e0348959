"""Files of one module are imported apart from those of others, which have the same names."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hotloop.core import paths


@contextmanager
def apart(*folders: Path) -> Iterator[None]:
    """Import from these folders first; forget afterwards what was imported from the trees."""
    trees = (paths.curriculum(), paths.solutions(), paths.exercises())
    places, known = list(sys.path), set(sys.modules)
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = places
        for name in set(sys.modules) - known:
            file = Path(getattr(sys.modules[name], "__file__", None) or "/")
            if any(file.is_relative_to(tree) for tree in trees):
                del sys.modules[name]
