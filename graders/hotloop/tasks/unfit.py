"""The speed checks that this machine cannot decide, as `hotloop author selftest` left them.

The file is in the data folder of whoever judges. Nothing that is handed in can change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hotloop.core import whole_file
from hotloop.core.document import Strict, Text
from hotloop.core.user_error import UserError
from hotloop.core.yaml_lines import load
from hotloop.judge.device import device_name


class UnfitChecks(Strict):
    """Contents of the file. checks: why each cannot be decided, by module.task.check."""

    device: Text
    checks: dict[str, Text]


def read(path: Path) -> Mapping[str, str]:
    """Return what the file says of this device; nothing if it is missing or of another device.

    Raises UserError, with file and line, if it is damaged.
    """
    if not path.is_file():
        return {}
    content = load(path, UnfitChecks)
    return content.checks if content.device == device_name() else {}


def write(path: Path, checks: Mapping[str, str]) -> None:
    """Replace the file. Raises UserError if it cannot be written."""
    content = UnfitChecks(device=device_name(), checks=dict(sorted(checks.items())))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole_file.replace(path, f"{content.model_dump_json(indent=1)}\n".encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error}") from None
