"""Which of the README's commands a newcomer's measurement runs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import readme_first_verdict as newcomer


def test_the_readmes_commands_are_run_in_order_up_to_the_verdict() -> None:
    found = newcomer.commands((newcomer.ROOT / "README.md").read_text(encoding="utf-8"))
    run = [command for command in found if not command.startswith(newcomer.NOT_RUN)]
    assert ". .venv/bin/activate" in run[0]
    assert run[1].startswith("pip install ")
    assert run[2].startswith("hotloop start ")
    assert run[-1] == newcomer.CHECK


def test_a_readme_without_the_parts_is_not_measured() -> None:
    with pytest.raises(RuntimeError, match="'Your first verdict'"):
        newcomer.commands("# A\n\n## Install\n\n```bash\npip install a  # all\n```\n")
