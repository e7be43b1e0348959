"""Code that learner and judge both have is the same."""

import ast

import pytest

from hotloop.core import paths
from hotloop.tasks.modules.portable_trainer import meshes
from hotloop.tasks.modules.portable_trainer.given_files import PROGRAMS

GIVEN = ("vlm", "vlm_jax", "shapes", "run", "layout", "remote", "samples")


@pytest.mark.parametrize("name", GIVEN)
def test_the_judge_trains_the_learners_model(name: str) -> None:
    theirs = paths.solutions() / "portable_trainer" / f"{name}.py"
    assert (PROGRAMS / f"{name}.py").read_bytes() == theirs.read_bytes()


def test_the_shapes_are_those_of_the_model() -> None:
    tree = ast.parse((PROGRAMS / "vlm_jax.py").read_text())
    (node,) = (
        statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "SHAPES"
    )
    said = eval(compile(ast.Expression(node), "vlm_jax.py", "eval"))  # our own file
    assert said == meshes.SHAPES
