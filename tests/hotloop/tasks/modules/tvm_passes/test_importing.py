"""Messages about a module's structure, and PyTorch's output of the network."""

from typing import Any

import numpy as np
import pytest

from hotloop.core import extras, paths
from hotloop.judge.constants import constants
from hotloop.judge.program import Program
from hotloop.judge.session import Session
from hotloop.tasks.modules.tvm_passes import importing

needs_tvm = pytest.mark.skipif(bool(extras.missing("tvm")), reason=extras.remedy("tvm"))


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network's source; the exercise's copy of it is generated."""
    network = paths.exercises() / "tvm_passes" / "network.py"
    files = {**importing.EAGER.files, "network.py": network}
    monkeypatch.setattr(importing, "EAGER", Program(files, "eager.py"))


def described(**changed: Any) -> dict[str, Any]:
    """Return what `relax_reading.described` reports of a right module, with changes."""
    right = {
        "functions": ["main"],
        "ill_formed": "",
        "inputs": [["float32", "s77", 3, 16, 16]],
        "output": ["float32", "s77", 5],
        "attributes": [],
        "operators": {"relax.nn.conv2d": 3},
        "inside": 0,
    }
    return {**right, **changed}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, None),
        ({"inputs": [["float32", 2, 3, 16, 16]]}, "baked in"),
        ({"inputs": [["float32", "s77", 16, 16, 3]]}, "should take"),
        ({"inputs": []}, "takes nothing"),
        ({"output": ["float32", "n", 5]}, "should give"),
        ({"output": ["Tuple"]}, "gives Tuple"),
    ],
)
def test_the_signature(changed: dict[str, Any], said: str | None) -> None:
    mismatch = importing._wrong_signature(described(**changed))
    assert (said is None) if mismatch is None else (said is not None and said in mismatch)


def test_a_module_that_is_none_of_relax() -> None:
    assert "refused" in (importing._not_relax({"refused": "it has closures"}) or "")
    assert "['main']" in (importing._not_relax(described(functions=["main", "f"])) or "")
    assert "ill-formed" in (importing._not_relax(described(ill_formed="a loop")) or "")
    assert importing._not_relax(described()) is None


@pytest.mark.parametrize(
    ("revision", "got", "said"),
    [
        (0, None, None),
        (0, "37", "not allowed here"),
        (37, "37", None),
        (37, "38", "should be 37"),
        (37, None, "has no attribute"),
    ],
)
def test_the_revision_of_the_variant(revision: int, got: str | None, said: str | None) -> None:
    with constants({"IMPORTED": revision}):
        mismatch = importing._other_revision(described(revision=got))
    assert (said is None) if mismatch is None else (said is not None and said in mismatch)


def test_networks_differ_in_both_ways() -> None:
    networks = importing._random_networks(np.random.default_rng(1))
    assert {network.parameters for network in networks} == {"inside", "inputs"}
    assert len({network.width for network in networks}) == 2
    assert sorted(network.blocks for network in networks) == [1, 2]


@needs_tvm
def test_parameters_that_are_missing_are_seen(eager: None, session_over: Any) -> None:
    session: Session = session_over()
    network = importing.Network(seed=7, width=4, blocks=1, parameters="inside")
    named, running, _ = importing._parameters(network, session)
    count = sum(int(np.prod(shape)) for _, shape in named) + running
    assert importing._wrong_parameters(network, described(inside=count), session) is None
    few = importing._wrong_parameters(network, described(inside=count - 1), session)
    assert "some are missing" in (few or "")
    left = importing._wrong_parameters(network, described(attributes=["params"]), session)
    assert "still in the file" in (left or "")


@needs_tvm
def test_pytorch_answers_as_the_network_is_used(eager: None, session_over: Any) -> None:
    session: Session = session_over()
    network = importing.Network(seed=7, width=4, blocks=1, parameters="inside")
    images = np.random.default_rng(2).standard_normal((3, 3, 16, 16))
    whole = importing._truth(network, importing._case(images), session)
    first = importing._truth(network, importing._case(images[:1]), session)
    assert np.allclose(whole[0], first[0], atol=1e-9)  # images do not affect each other
    assert np.abs(whole[1] - whole[0]).max() > 0.01
