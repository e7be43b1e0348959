"""Exported programs: foreign operations are found, and the two networks agree."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hotloop.core import extras
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.session import Session
from hotloop.tasks import render
from hotloop.tasks.modules.xla_vs_eager import exported, steps
from hotloop.tasks.modules.xla_vs_eager.exported import tensor

pytestmark = pytest.mark.skipif(
    bool(extras.missing("xla")), reason="the optional group xla is not installed"
)


@pytest.fixture
def session(tmp_path: Path, session_over: Callable[..., Session]) -> Session:
    for name, data in render.submission("xla_vs_eager").items():
        (tmp_path / name).write_bytes(data)
    return session_over(tmp_path, isolation="none")


def program(function: str) -> bytes:
    """A function of x, float32 [4, 4], exported in this process."""
    jax = pytest.importorskip("jax")
    names = {"jax": jax, "jnp": jax.numpy}
    shape = jax.ShapeDtypeStruct((4, 4), "float32")
    exported_program = jax.export.export(jax.jit(eval(function, names)))(shape)
    return bytes(exported_program.serialize())


def test_calls_of_the_host_are_reported(session: Session) -> None:
    facts = exported.facts(program("lambda x: jnp.linalg.eigh(x)[0]"), session)
    assert "lapack" in (exported.foreign_call(facts) or "")
    inside = exported.facts(program("lambda x: jnp.tanh(x) @ x"), session)
    assert exported.foreign_call(inside) is None
    assert inside["arguments"] == ["float32[4,4]"]
    assert exported.arguments_mismatch(inside, 2, ()) is not None


@pytest.mark.parametrize("data", [b"", b"no program at all", b"\0" * 4096])
def test_what_is_no_program_is_the_candidates_failure(data: bytes, session: Session) -> None:
    with pytest.raises(Ruling) as ruling:
        exported.facts(data, session)
    assert ruling.value.verdict is not Verdict.JUDGE_ERROR


def test_both_networks_give_the_same_step(tmp_path: Path, session: Session) -> None:
    """The learner's network, exported, and the truth's, written with other operations."""
    code = (
        "import sys, network; "
        "network.export(network.step, network.abstract(6), sys.argv[1], donated=(0, 1))"
    )
    target = tmp_path / "step.bin"
    subprocess.run([sys.executable, "-c", code, str(target)], check=True, cwd=tmp_path)
    rng = np.random.default_rng(0)
    state = np.concatenate([exported.parameters(rng), exported.parameters(rng)])
    images, labels = exported.random_images(rng, 6), exported.labels(rng, 6)
    inputs = tuple(map(tensor, (state, images, labels)))
    assert steps.STEP.mismatch(target.read_bytes(), inputs, session) is None
    other = np.concatenate([[1.0], state])
    assert steps.STEP.difference(other, other) is None
    other[5] += 1
    mismatch = steps.STEP.difference(other, np.concatenate([[1.0], state]))
    assert "conv1 of the parameters" in (mismatch or "")


def test_scopes() -> None:
    def facts(convolutions: list[str], products: list[str], state: str) -> dict[str, object]:
        scopes = [["convolution", c] for c in convolutions] + [["dot_general", p] for p in products]
        return {"scopes": scopes, "returned": [state, "jit/r_loss/neg"]}

    layers = ["r_conv1"] * 2 + ["transpose(jvp(r_conv2))"] * 3
    heads = ["r_head"] * 3
    assert steps.scopes_mismatch(facts(layers, heads, "r_update/sub"), "r_") is None
    for changed, message in (
        (facts(layers[1:], heads, "r_update"), "1 convolutions are in a scope r_conv1"),
        (facts([*layers, "r_other"], heads, "r_update"), "is in 0 of the scopes"),
        (facts([*layers, "r_conv1/r_conv2"], heads, "r_update"), "is in 2 of the scopes"),
        (facts(layers, heads[1:], "r_update"), "2 matrix products are in r_head"),
        (facts(layers, heads, "r_conv1"), "not computed in r_update"),
    ):
        assert message in (steps.scopes_mismatch(changed, "r_") or "")
