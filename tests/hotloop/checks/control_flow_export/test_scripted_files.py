"""What wrong answers do not see is in every set of hidden files, whatever is drawn."""

from __future__ import annotations

import sys

import pytest

from hotloop.checks.control_flow_export.given_files import HARNESS
from hotloop.checks.control_flow_export.old_files import FILES

sys.path.append(str(HARNESS))
import scripted_files


@pytest.mark.parametrize("seed", range(6))
def test_no_set_of_files_is_without_the_rare_ones(seed: int) -> None:
    found = [scripted_files.make(seed + 100 * n, n)["inventory"] for n in range(1, FILES + 1)]
    assert found[0]["training"]
    assert len(found[1]["methods"]) > 1
    assert found[2]["ifs"]
    assert found[2]["loops"]


@pytest.mark.parametrize("seed", range(6))
def test_a_second_method_decides(seed: int) -> None:
    """An inventory of forward alone counts fewer ifs."""
    path = scripted_files.make(seed, 2)["path"]
    forward = scripted_files.figures(path)["scripted"]["ifs"]
    assert scripted_files.inventory(path)["ifs"] > forward
