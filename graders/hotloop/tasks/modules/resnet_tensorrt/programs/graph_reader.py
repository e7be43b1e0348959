"""Compare rewritten models with their sources, and report what is wrong. Runs none of them.

Each function takes pairs, as `onnx_rewrites.first_wrong` reads them, and by how much model_version
must grow for each removed node; 0 to ignore it.
"""

from __future__ import annotations

from functools import partial

import graph_folds
import graph_noops
from onnx_rewrites import Mismatch, Wrong, first_wrong


def _first(mismatch: Mismatch, path: str, versions: int = 0) -> Wrong | None:
    return first_wrong(path, mismatch, lambda before, gone: versions and before + versions * gone)


about_folded = partial(_first, graph_folds.mismatch)
about_cleaned = partial(_first, graph_noops.mismatch)
about_cleaned_again = partial(_first, graph_noops.mismatch_of_another)
