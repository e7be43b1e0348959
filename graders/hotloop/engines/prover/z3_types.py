"""z3, which has no types of its own."""

import importlib
from typing import Any

z3: Any = importlib.import_module("z3")

Formula = Any
"""An integer or a Boolean of z3."""
