"""Every claim that a proof program shows still holds, and what it prints is what is recorded."""

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.curriculum.apart import apart

from hotloop.core import paths
from hotloop.learn.bank import guides, proofs
from hotloop.learn.bank.catalog import catalog

READ_ONCE = ("TRITON_INTERPRET", "XLA_FLAGS")
PROOFS = proofs.programs()
RECORDS = sorted(paths.curriculum().glob("*/proofs/*.txt"))
PLACE = re.compile(r"site-packages|(?<![\w.:/])/(home|root|tmp|usr|opt|var|work)/")


@pytest.mark.slow
@pytest.mark.parametrize("path", PROOFS, ids=proofs.name_of)
def test_a_proof_prints_what_is_recorded(
    path: Path, require: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    require(path)
    text = path.read_text(encoding="utf-8")
    if any(name in text for name in READ_ONCE):
        # What Triton and XLA read when they begin another test may have made them read already.
        fresh = {name: value for name, value in os.environ.items() if name not in READ_ONCE}
        subprocess.run([sys.executable, str(path)], check=True, timeout=150, env=fresh)
    else:
        with apart():
            runpy.run_path(str(path), run_name="__main__")
    output = capfd.readouterr().out
    assert output.strip()
    record = proofs.record_of(path)
    assert record.is_file(), f"run `hotloop author proofs --record {proofs.name_of(path)}`"
    assert not proofs.difference(output, record.read_text(encoding="utf-8"))


def test_every_record_has_its_program() -> None:
    assert [path for path in RECORDS if not path.with_suffix(".py").is_file()] == []


def test_no_record_names_a_place_of_one_machine() -> None:
    assert [path for path in RECORDS if PLACE.search(path.read_text(encoding="utf-8"))] == []


def test_every_proof_is_somebodys() -> None:
    """A question, a correction, a lesson or a page beside it names it."""
    named = {proof.path for entry in catalog() for proof in entry.proofs}
    for guide in guides.guides():
        named |= {paths.curriculum() / c.proof for c in guide.corrections if c.proof}
    lessons = "\n".join(
        path.read_text(encoding="utf-8") for path in paths.curriculum().glob("*/*.md")
    )
    orphans = [path for path in PROOFS if path not in named]
    assert [path for path in orphans if f"proofs/{path.name}" not in lessons] == []
