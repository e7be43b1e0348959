"""Judges submissions to problems of public sets, on this machine or on a Ray cluster."""

import functools
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop import __version__
from hotloop.author.external import forms
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.course.ray_cluster import alive, connected, has_gpu, last_line
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.tasks.local_judging import judge_folder

RETRIES = 3
"""How often a job is retried after its node was lost."""


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


def judge(
    asked: ExternalJob,
    *,
    process: JudgeProcess | None = None,
    on_progress: Callable[[str], None] = lambda _text: None,
    seed: str = "",
) -> Record:
    """Judge one submission and return its record. seed: as in `Job`."""
    with tempfile.TemporaryDirectory(prefix="hotloop-") as scratch:
        source, work = Path(scratch) / "problem", Path(scratch) / "work"
        lay_out(asked.problem, source)
        lay_out(asked.submission, work)
        name = asked.name
        return judge_folder(
            work, name, [name], judge=process, on_progress=on_progress, source=source, seed=seed
        )[name]


def judge_all(asked: Sequence[ExternalJob], ray: str) -> Iterator[tuple[int, Record]]:
    """Yield the number and record of each job as it finishes.

    ray: a cluster's address; empty judges on this machine.
    """
    if ray:
        yield from _on_cluster(asked, ray)
        return
    with JudgeProcess() as process:
        for number, one in enumerate(asked):
            yield number, judge(one, process=process)


def _on_cluster(asked: Sequence[ExternalJob], address: str) -> Iterator[tuple[int, Record]]:
    """Judge on a cluster; each job reserves a GPU if the cluster has one.

    Raises UserError if a node cannot judge.
    """
    with connected(address) as ray:
        gpus = int(has_gpu(alive(ray)))
        remote: Any = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=RETRIES)(judge_on_node)
        running = {remote.remote(one): number for number, one in enumerate(asked)}
        try:
            while running:
                (done,), _ = ray.wait(list(running))
                yield running.pop(done), Record.from_json(json.loads(ray.get(done)))
        except ray.exceptions.RayError as error:
            raise UserError(
                f"The Ray cluster could not judge ({last_line(error)}). What is judged is kept: "
                "the same command goes on."
            ) from error
        finally:
            for one in running:
                ray.cancel(one, force=True)


def judge_on_node(asked: ExternalJob) -> str:
    """Return the record as JSON text. Raises UserError for a job of another release."""
    if asked.hotloop != __version__:
        raise UserError(f"the node has Hotloop {__version__}, and {asked.hotloop} asks")
    return json.dumps(judge(asked, process=_node_process()).to_json())


@functools.cache
def _node_process() -> JudgeProcess:
    """Return the judge of this Ray process; it stays warm until Ray ends the process."""
    return JudgeProcess()
