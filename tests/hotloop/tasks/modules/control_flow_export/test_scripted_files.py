"""Every set of hidden files has what each wrong answer misses, whatever is sampled."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from hotloop.tasks.modules.control_flow_export.given_files import PROGRAMS
from hotloop.tasks.modules.control_flow_export.old_files import FILES

sys.path.append(str(PROGRAMS))
import scripted_files


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_set_of_files_is_without_the_rare_ones(seed: int) -> None:
    inventories = [scripted_files.make(seed + 100 * n, n)["inventory"] for n in range(1, FILES + 1)]
    assert inventories[0]["training"]
    assert len(inventories[1]["methods"]) > 1
    assert inventories[2]["ifs"]
    assert inventories[2]["loops"]


@pytest.mark.parametrize("seed", range(6))
def test_a_second_method_decides(seed: int) -> None:
    """An inventory of `forward` alone counts fewer ifs."""
    path = scripted_files.make(seed, 2)["path"]
    forward = scripted_files.figures(path)["scripted"]["ifs"]
    assert scripted_files.inventory(path)["ifs"] > forward


@pytest.mark.parametrize("seed", range(6))
def test_what_is_in_an_else_or_in_a_loop_counts(seed: int) -> None:
    """An inventory that omits the last block of a node counts fewer."""
    made = scripted_files.make(seed, 3)
    net = torch.jit.load(made["path"])
    graphs = [getattr(net, name).inlined_graph for name in made["inventory"]["methods"]]
    ifs = [node for g in graphs for node in without_last_blocks(g) if node.kind() == "prim::If"]
    assert len(ifs) < made["inventory"]["ifs"]


def without_last_blocks(block: Any) -> Iterator[Any]:
    for node in block.nodes():
        yield node
        for inner in [*node.blocks()][:-1]:
            yield from without_last_blocks(inner)
