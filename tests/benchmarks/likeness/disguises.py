"""Disguises for copies of a Python solution: other names, order, layout, padding."""

import ast
import builtins
from collections.abc import Callable
from random import Random

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "islet",
    "jetty",
    "knoll",
    "larch",
    "maple",
    "north",
    "otter",
    "pearl",
    "quill",
    "raven",
    "slate",
    "thorn",
    "umber",
    "vapor",
    "wheat",
    "xenon",
    "yield",
    "zebra",
    "acorn",
    "basil",
    "cliff",
    "dune",
]


def renamed(text: str, entry: str, rng: Random) -> str:
    """Rename everything that the solution names, except the judged function."""
    tree = ast.parse(text)
    own = _own_names(tree) - {entry}
    words = [f"{word}_{number}" for number in range(20) for word in WORDS]
    rng.shuffle(words)
    new = dict(zip(sorted(own), words, strict=False))
    return ast.unparse(_Renaming(new).visit(tree))


def reordered(text: str, entry: str, rng: Random) -> str:
    """Reorder functions, and neighboring assignments that are independent of each other."""
    tree = ast.parse(text)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    rng.shuffle(functions)
    others = [n for n in tree.body if not isinstance(n, ast.FunctionDef)]
    tree.body = [*others, *functions]
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and not isinstance(node, ast.Module):
            _swap_neighbors(body)
    return ast.unparse(tree)


def reformatted(text: str, entry: str, rng: Random) -> str:
    """Change the layout: other indentation, comments and blank lines."""
    lines = ast.unparse(ast.parse(text)).replace("    ", "  ").split("\n")
    said = [f"{line}  # {rng.choice(WORDS)}" if line.strip() else line for line in lines]
    return "\n\n".join(said)


def padded(text: str, entry: str, rng: Random) -> str:
    """Insert a statement without effect before about every third one."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.FunctionDef | ast.For | ast.While) and isinstance(body, list):
            node.body = [n for pair in (_pad(n, rng) for n in body) for n in pair]
    return ast.unparse(ast.fix_missing_locations(tree))


def all_of_these(text: str, entry: str, rng: Random) -> str:
    """Change names, order and layout."""
    for disguise in (renamed, reordered, reformatted):
        text = disguise(text, entry, rng)
    return text


def all_and_padded(text: str, entry: str, rng: Random) -> str:
    """Pad, then change names, order and layout."""
    return all_of_these(padded(text, entry, rng), entry, rng)


Disguise = Callable[[str, str, Random], str]
DISGUISES: dict[str, Disguise] = {
    "renamed": renamed,
    "reordered": reordered,
    "reformatted": reformatted,
    "renamed, reordered, reformatted": all_of_these,
    "all of these, and padded": all_and_padded,
}


class _Renaming(ast.NodeTransformer):
    def __init__(self, new: dict[str, str]) -> None:
        self.new = new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.new.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.new.get(node.arg, node.arg)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.new.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self.new.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        if node.name is not None:
            node.name = self.new.get(node.name, node.name)
        return self.generic_visit(node)


def _own_names(tree: ast.Module) -> set[str]:
    """Return the names that can be renamed safely: no attributes, no keywords."""
    nodes = list(ast.walk(tree))
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    own |= {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    own |= {n.name for f in nodes if isinstance(f, ast.FunctionDef) for n in f.body
            if isinstance(n, ast.FunctionDef)}  # fmt: skip
    own |= {n.name for n in nodes if isinstance(n, ast.MatchAs) and n.name}
    bound = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.keyword) and n.arg}
    return own - bound - set(dir(builtins)) - {"self"}


def _swap_neighbors(body: list[ast.stmt]) -> None:
    """Swap neighboring plain assignments that share no name."""
    for index in range(0, len(body) - 1, 2):
        first, second = body[index], body[index + 1]
        if _is_plain(first) and _is_plain(second) and not (_names(first) & _names(second)):
            body[index], body[index + 1] = second, first


def _is_plain(node: ast.stmt) -> bool:
    calls = any(isinstance(n, ast.Call) for n in ast.walk(node))
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not calls


def _names(node: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _pad(node: ast.stmt, rng: Random) -> list[ast.stmt]:
    if rng.random() > 1 / 3:
        return [node]
    unused = f"unused_{rng.randrange(1000)}"
    return [ast.parse(f"{unused} = {rng.randrange(100)} * {rng.randrange(100)}").body[0], node]
