"""Defaults for running a program."""

ORDERS = ("forward", "reverse", "random:1", "random:2")
"""Orders of lanes, warps and blocks; a program must not depend on any of them."""

TIMEOUT_S = 60
"""Time limit of one run, in seconds."""
