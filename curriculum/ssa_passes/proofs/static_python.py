"""What a compiler must know of a Python function, and what it does where it cannot."""

from __future__ import annotations

import ast

import torch

# --8<-- [start:functions]
FUNCTIONS = {
    "one type on both paths": "def f(c, x):\n    y = x * 2\n    return y",
    "another type on one path": (
        "def f(c, x):\n    y = 'a'\n    if c:\n        y = 0.5\n    return y + x"
    ),
    "set on one path only": "def f(c, x):\n    if c:\n        y = 1\n    return y + x",
}
# --8<-- [end:functions]


def joined(one: str, other: str) -> str:
    """Of a value that comes on two ways: bottom is nothing yet, top is a conflict."""
    if one == other or other == "bottom":
        return one
    return other if one == "bottom" else "top"


def type_of(node: ast.expr, types: dict[str, str]) -> str:
    """Of an expression, by the types of its names."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.Name):
        return types.get(node.id, "unset")
    assert isinstance(node, ast.BinOp)
    left, right = type_of(node.left, types), type_of(node.right, types)
    for kind in ("unset", "top", "float"):
        if kind in (left, right):
            return kind
    return "int"


def run(body: list[ast.stmt], types: dict[str, str]) -> str:
    """Go through statements; the type of what is returned."""
    for stmt in body:
        if isinstance(stmt, ast.Assign):
            (target,) = stmt.targets
            assert isinstance(target, ast.Name)
            types[target.id] = type_of(stmt.value, types)
        elif isinstance(stmt, ast.If):
            ways = [dict(types), dict(types)]
            run(stmt.body, ways[0])
            run(stmt.orelse, ways[1])
            for name in set(ways[0]) | set(ways[1]):
                here = [way.get(name, "unset") for way in ways]
                types[name] = "unset" if "unset" in here else joined(*here)
        elif isinstance(stmt, ast.Return):
            assert stmt.value is not None
            return type_of(stmt.value, types)
    return "None"


MEANING = {
    "top": "no single type: convert, specialize, or reject",
    "unset": "not set on every path: reject",
}


def main() -> None:
    """Print types, three differences of arithmetic, and what capture does with an if."""
    for name, source in FUNCTIONS.items():
        (tree,) = ast.parse(source).body
        assert isinstance(tree, ast.FunctionDef)
        found = run(tree.body, {"c": "bool", "x": "int"})
        print(f"{name}: {MEANING.get(found, found)}")
    print(f"2**63 - 1 + 1: Python {2**63 - 1 + 1}, int64 {(torch.tensor(2**63 - 1) + 1).item()}")
    print(f"-7 // 2: Python {-7 // 2}, as C divides {int(-7 / 2)}")

    class Decides(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2 if x.sum() > 0 else x - 1

    class ByShape(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2 if x.shape[0] > 2 else x - 1

    given = (torch.ones(3),)
    try:
        torch.export.export(Decides(), given)
        raise AssertionError("exported")
    except Exception as error:  # noqa: BLE001 - its type is private
        print(
            "an if on a value: torch.export raises an error,",
            "data-dependent" in str(error).lower(),
        )
    kept = torch.export.export(ByShape(), given).graph_module.code
    print("an if on a shape: decided during capture,", "if" not in kept, "; a mul", "mul" in kept)


if __name__ == "__main__":
    main()
