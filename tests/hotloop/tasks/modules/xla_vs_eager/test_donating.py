"""Hidden modules with donated arguments: their text shows everything that XLA reuses."""

from pathlib import Path

import numpy as np
import pytest

from hotloop.core import extras
from hotloop.tasks.modules.xla_vs_eager import aliases

pytestmark = pytest.mark.skipif(
    bool(extras.missing("xla")), reason="the optional group xla is not installed"
)

FOLDER = aliases.MAKER.files["donating.py"].parent
SURPRISES = (44, 81, 234)
"""Seeds whose first module has a donated argument as large as a result of another shape."""


@pytest.mark.parametrize("seed", SURPRISES)
def test_a_module_whose_text_does_not_say_it_is_drawn_anew(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    import donating

    assert donating._sampled(1, np.random.default_rng(seed)) is None
    made = donating.make(1, seed)
    assert Path(made["path"]).read_text().count("tf.aliasing_output") == len(made["aliased"])
