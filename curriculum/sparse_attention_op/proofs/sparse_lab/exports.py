"""The module's code for ONNX files, as the proofs use it."""

from __future__ import annotations

import sparse_lab.kit as kit  # puts the module's code where the next lines find it

import export_ops  # isort: skip # noqa: F401 - proofs take these from here
import fallback  # isort: skip # noqa: F401
import legacy  # isort: skip # noqa: F401
import shape_inference  # isort: skip # noqa: F401
import silent  # isort: skip # noqa: F401

reference = kit.reference
