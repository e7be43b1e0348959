"""Python as the subtrees of its syntax tree, blind to names, layout and the values of literals.

A subtree is known by its digest. Statements that were moved, and functions in another order, keep
theirs.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections import Counter
from functools import lru_cache

SMALLEST = 7
"""Nodes of a subtree that counts: `x[i] = y + 1` has about as many, and anybody writes that."""

Subtrees = Counter[bytes]


@lru_cache(maxsize=1024)
def subtrees(text: str) -> Subtrees | None:
    """By digest, with how often each is there; None for what does not parse. Not to
    be changed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
        found: Subtrees = Counter()
        _add(tree, found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found


def _add(node: ast.AST, found: Subtrees) -> tuple[bytes, int]:
    """Digest and size of a subtree; it and all within it go into `found`."""
    size = 1
    total = hashlib.blake2b(_label(node).encode(), digest_size=12)
    for child in ast.iter_child_nodes(node):
        if _is_docstring(child):
            continue
        digest, count = _add(child, found)
        total.update(digest)
        size += count
    digest = total.digest()
    if size >= SMALLEST and not isinstance(node, ast.Module):
        found[digest] += 1
    return digest, size


def _label(node: ast.AST) -> str:
    name = type(node).__name__
    if isinstance(node, ast.Attribute):
        return f"{name}.{node.attr}"
    if isinstance(node, ast.Constant):
        return f"{name}:{type(node.value).__name__}"
    if isinstance(node, ast.keyword):
        return f"{name}={node.arg}"
    return name


def _is_docstring(node: ast.AST) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)
