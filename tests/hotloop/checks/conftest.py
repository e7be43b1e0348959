"""Checks of modules that need an optional group are tested where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotloop import extras

NEEDED = {"resnet_tensorrt": "onnx", "tvm_passes": "tvm"}
"""The group that a folder's tests need."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip them with the command that installs it."""
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        extra = NEEDED.get(item.path.parent.name)
        if extra is not None and extras.missing(extra):
            reason = f"{', '.join(extras.missing(extra))} not installed: {extras.remedy(extra)}"
            item.add_marker(pytest.mark.skip(reason=reason))
