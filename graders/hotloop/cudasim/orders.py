"""The orders in which a checked program's threads run."""

ORDERS = ("forward", "reverse", "random:1", "random:2")
"""Of lanes, warps and blocks: a program must not depend on any."""
