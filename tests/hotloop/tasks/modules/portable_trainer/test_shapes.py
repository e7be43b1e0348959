"""The shapes that the judge knows are those of the learner's model."""

import ast

from hotloop.tasks.modules.portable_trainer import meshes
from hotloop.tasks.modules.portable_trainer.given_files import GIVEN


def test_the_shapes_are_those_of_the_model() -> None:
    tree = ast.parse((GIVEN / "vlm_jax.py").read_text())
    (node,) = (
        statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "SHAPES"
    )
    shapes = eval(compile(ast.Expression(node), "vlm_jax.py", "eval"))  # our own file
    assert shapes == meshes.SHAPES
