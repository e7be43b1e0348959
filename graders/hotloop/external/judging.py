"""Judges submissions to problems of public sets."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from hotloop.core.record import Record
from hotloop.external import forms
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.local_judging import judge_folder


def judge(
    problem: forms.External,
    file: Path,
    *,
    process: JudgeProcess | None = None,
    on_progress: Callable[[str], None] = lambda _text: None,
    seed: str = "",
) -> Record:
    """The record of one submission. seed: as in `Job`."""
    with tempfile.TemporaryDirectory(prefix="hotloop-") as scratch:
        source, work = Path(scratch) / "problem", Path(scratch) / "work"
        forms.write(problem, source)
        lay_out(forms.submission(problem, file), work)
        name = problem.name
        return judge_folder(
            work, name, [name], judge=process, on_progress=on_progress, source=source, seed=seed
        )[name]
