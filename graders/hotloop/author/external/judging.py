"""Judges submissions to problems of public sets, on this machine or on a Ray cluster."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop import __version__
from hotloop.author.external import forms
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.course.executors import Lost
from hotloop.course.ray_cluster import alive, connected, has_gpu
from hotloop.course.ray_tasks import Tasks, node_judge
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.tasks.local_judging import judge_folder

_POLL_S = 0.25


@dataclass(frozen=True)
class ExternalJob:
    """One job as data that can be sent: the problem's files and the submission's, by name."""

    name: str
    problem: dict[str, bytes]
    submission: dict[str, bytes]
    hotloop: str = __version__

    @classmethod
    def of(cls, problem: forms.External, file: Path) -> "ExternalJob":
        """Return the job for a submission's file to a problem."""
        with forms.own_form(problem) as root:
            paths = [path for path in root.rglob("*") if path.is_file()]
            written = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
        return cls(problem.name, written, forms.submission(problem, file))


def judge(job: ExternalJob, process: JudgeProcess | None = None) -> Record:
    """Judge one submission and return its record."""
    with tempfile.TemporaryDirectory(prefix="hotloop-") as scratch:
        source, work = Path(scratch) / "problem", Path(scratch) / "work"
        lay_out(job.problem, source)
        lay_out(job.submission, work)
        name = job.name
        return judge_folder(work, name, [name], judge=process, source=source)[name]


def judge_all(jobs: Sequence[ExternalJob], ray: str) -> Iterator[tuple[int, Record]]:
    """Yield the number and record of each job as it finishes.

    ray: a cluster's address; empty judges on this machine.
    """
    if ray:
        yield from _on_cluster(jobs, ray)
        return
    with JudgeProcess() as process:
        for number, job in enumerate(jobs):
            yield number, judge(job, process)


def _on_cluster(jobs: Sequence[ExternalJob], address: str) -> Iterator[tuple[int, Record]]:
    """Judge on a cluster; each job reserves a GPU if the cluster has one.

    Raises UserError at the end if no node could judge some of them.
    """
    lost: list[str] = []
    with connected(address) as ray:
        gpus = int(has_gpu(alive(ray)))
        tasks = Tasks(ray, lambda _key, _task, _text: None)
        for number, job in enumerate(jobs):
            tasks.submit(str(number), judge_on_node, job, num_cpus=1, num_gpus=gpus)
        try:
            while tasks:
                for key, ended in tasks.ended(_POLL_S):
                    if isinstance(ended, Lost):
                        lost.append(ended.reason)
                    else:
                        yield int(key), Record.from_json(json.loads(ended))
        finally:
            tasks.close()
    if lost:
        raise UserError(
            f"The Ray cluster could not judge {len(lost)} of {len(jobs)} submissions ({lost[0]}). "
            "What is judged is kept: the same command goes on."
        )


def judge_on_node(job: ExternalJob, _steps: Any) -> str:
    """Return the record as JSON text. Raises UserError for a job of another release."""
    if job.hotloop != __version__:
        raise UserError(f"the node has Hotloop {__version__}, and {job.hotloop} asks")
    return json.dumps(judge(job, node_judge()).to_json())
