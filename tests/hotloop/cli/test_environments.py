"""`hotloop doctor --install`: which environments there are, and what their folder is."""

import json

import pytest
from typer.testing import CliRunner

from hotloop.cli import app, environments
from hotloop.core import extras, own_environments
from hotloop.engines.serving.environment import INSTALL


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--install", "triton"), "There is no environment triton; there are tritonserver, tile"),
        (("--install", "tritonserver", "--folder", "here"), "HOTLOOP_SERVING names its folder"),
        (("--folder", "here"), "--folder with --install"),
        (("--install", "torch_xla", "--gpu"), "--install goes with --folder only"),
    ],
)
def test_what_cannot_be_installed_is_said(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(app, ["doctor", *words, "--json"])
    assert done.exit_code == 2
    assert said in json.loads(done.stdout)["error"]


def test_messages_name_what_can_be_installed() -> None:
    remedies = [INSTALL, *map(extras.remedy, own_environments.names())]
    assert remedies == [f"hotloop doctor --install {name}" for name in environments.NAMES]
