"""The recorded traces: each shows the sickness that the judge's file names, and no other one."""

import gzip
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.engines import trace

MODULE = "profile_training_loop"
SCRIPTS = paths.curriculum() / MODULE / "recordings"
TRACES = paths.exercises() / MODULE
TRUTH = SCRIPTS / "recordings.json"
KNOWN: dict[str, dict[str, Any]] = json.loads(TRUTH.read_text(encoding="utf-8"))
SICK = [letter for letter in KNOWN if letter != "healthy"]
CAUSES = {"loader", "sync", "launch", "allocator"}
RANGES = {"load", "forward", "backward", "average", "update"}

DOMINATES, MINOR = 0.5, 0.2
LARGEST_FILE = 300_000

per_recording = pytest.mark.parametrize("letter", KNOWN)
per_sick = pytest.mark.parametrize("letter", SICK)


def _path(letter: str) -> Path:
    return TRACES / f"recorded_{letter}.pt.trace.json.gz"


@cache
def _read(letter: str) -> trace.Trace:
    return trace.read(_path(letter))


@cache
def _text(letter: str) -> str:
    return gzip.decompress(_path(letter).read_bytes()).decode("utf-8")


def _run(program: str, *arguments: str) -> Any:
    """What a program says that imports the scripts; they are no part of this process."""
    start = f"import json, sys\nsys.path.insert(0, {str(SCRIPTS)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", start + program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_four_letters_stand_for_four_sicknesses() -> None:
    assert sorted(SICK) == ["a", "b", "c", "d"]
    assert {KNOWN[letter]["cause"] for letter in SICK} == CAUSES
    assert KNOWN["healthy"]["cause"] is None
    assert {path.name for path in TRACES.glob("recorded_*")} == {_path(each).name for each in KNOWN}


# --- what a trace shows ---------------------------------------------------------------------------


@per_recording
def test_a_recording_is_read_and_has_what_was_recorded(letter: str) -> None:
    read = _read(letter)
    assert 4 <= len(read.steps) == KNOWN[letter]["steps"] <= 6
    assert {row.name for row in read.ranges()} >= RANGES
    assert read.has_memory
    assert not read.has_gpu
    assert _path(letter).stat().st_size < LARGEST_FILE


@per_sick
def test_its_sickness_dominates_and_no_other_one_does(letter: str) -> None:
    shares = dict(KNOWN[letter]["shares"])
    assert set(shares) == CAUSES
    assert shares.pop(KNOWN[letter]["cause"]) >= DOMINATES
    assert max(shares.values()) <= MINOR


def test_the_healthy_one_has_none_and_computes() -> None:
    assert max(KNOWN["healthy"]["shares"].values()) <= MINOR
    computing = KNOWN["healthy"]["evidence"]
    assert list(computing) == ["forward", "backward"]
    assert sum(computing.values()) >= DOMINATES


@per_sick
def test_each_piece_of_evidence_is_in_the_trace_and_would_mislead_in_no_other(letter: str) -> None:
    evidence = KNOWN[letter]["evidence"]
    assert set(evidence) <= set(_read(letter).names)
    assert max(evidence.values()) >= DOMINATES
    for other in SICK:
        assert other == letter or not set(evidence) & set(KNOWN[other]["evidence"])


@pytest.mark.slow
def test_what_belongs_to_one_is_rare_in_the_others() -> None:
    """The figures that are no shares: calls and bytes a step, ten times as many as elsewhere."""
    found = _run(
        """
from figures import Figure, value
from record_all import path_of
from hotloop.engines import trace
calls, block = Figure("calls", ("aten::add_", "aten::mul_")), Figure("bytes", from_bytes=1 << 20)
read = {letter: trace.read(path_of(letter)) for letter in sys.argv[1:]}
print(json.dumps({k: [value(t, calls), value(t, block)] for k, t in read.items()}))
""",
        *KNOWN,
    )
    for place, cause in enumerate(("launch", "allocator")):
        own = [figures[place] for key, figures in found.items() if KNOWN[key]["cause"] == cause]
        others = [figures[place] for key, figures in found.items() if KNOWN[key]["cause"] != cause]
        assert own[0] > 10 * max(others)


# --- what the judge knows -------------------------------------------------------------------------


@pytest.mark.slow
def test_the_judges_file_is_what_the_traces_say() -> None:
    found = _run(
        """
import json
from record_all import KNOWN, described, path_of
known = json.loads(KNOWN.read_text(encoding="utf-8"))
said = {key: described(each["cause"], path_of(key)) for key, each in known.items()}
print(json.dumps(said))
"""
    )
    for letter, known in KNOWN.items():
        assert found[letter] == {key: value for key, value in known.items() if key != "cause"}
        assert hashlib.sha256(_path(letter).read_bytes()).hexdigest() == known["sha256"]


@pytest.mark.slow
def test_a_trace_is_unclear_as_any_other_one() -> None:
    """What throws an unclear recording away would throw each away under a wrong name."""
    found = _run(
        """
from record_all import path_of
from sicknesses import SICKNESSES, unclear
from hotloop.engines import trace
read = {letter: trace.read(path_of(letter)) for letter in sys.argv[1:]}
causes = [*SICKNESSES, None]
clear = {k: [c for c in causes if not unclear(c, t)] for k, t in read.items()}
print(json.dumps(clear))
""",
        *KNOWN,
    )
    assert found == {letter: [known["cause"]] for letter, known in KNOWN.items()}


# --- what it does not say -------------------------------------------------------------------------

PLACES = re.compile(r"/(?:home|root|usr|tmp|opt|work|var|mnt|Users)\b|[A-Z]:\\|\.py\b|@")


@per_recording
def test_no_path_and_no_host_is_in_it(letter: str) -> None:
    whole = json.loads(_text(letter))
    assert whole["schemaVersion"] == 1
    assert not {"host_name", "traceName"} & set(whole)
    said = sorted(set(_strings(whole)))
    assert not [text for text in said if "/" in text or "\\" in text or PLACES.search(text)]


@per_recording
def test_the_file_does_not_name_its_sickness(letter: str) -> None:
    text = _text(letter).lower()
    for script in SCRIPTS.glob("*.py"):
        assert script.stem not in text
        assert script.stem.replace("_", "") not in text
    assert _path(letter).read_bytes()[3] == 0, "no file name in the gzip header"
    assert _path(letter).read_bytes()[4:8] == bytes(4), "and no date"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["/home/learner/loop.py", "file:/srv/x/y", "loop.py(3): /a"])
def test_a_path_in_a_trace_is_not_written(planted: str) -> None:
    found = _run(
        """
from recorder import cleaned
event = {"name": "x", "args": {"Addr": 1, "Bytes": 8}}
trace = {"host_name": "box", "traceName": "/a/b", "traceEvents": [event]}
assert cleaned(trace) == {"traceEvents": [{"name": "x", "args": {"Bytes": 8}}]}
try:
    cleaned({"traceEvents": [{"name": "x", "args": {"Call stack": sys.argv[1]}}]})
except ValueError as error:
    print(json.dumps(str(error)))
""",
        planted,
    )
    assert planted in found


# --- how they are recorded ------------------------------------------------------------------------


@pytest.mark.slow
def test_the_slow_ways_compute_what_the_healthy_one_does() -> None:
    """Of two sick loops nothing but the time differs: they arrive at the same weights."""
    found = _run(
        """
import tempfile
import torch
import torch.distributed as dist
from allocator_thrash import AllocatorThrash
from healthy import Healthy
from launch_bound import LaunchBound

def trained(kind, steps, seed=0):
    loop = kind(seed)
    dataset = loop.dataset()
    batches = iter([dataset[torch.arange(8 * step, 8 * step + 8)] for step in range(steps)])
    for _ in range(steps):
        loop.step(batches)
    return torch.cat([p.detach().flatten() for p in loop.model.parameters()])

with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("gloo", init_method=f"file://{folder}/m", rank=0, world_size=1)
    def far(kind, steps, seed=0):
        return float((trained(kind, steps, seed) - trained(Healthy, steps)).abs().max())

    # Pictures from a canvas lie in memory in another order, so that sums are rounded otherwise.
    found = [far(LaunchBound, 5), far(AllocatorThrash, 1), far(Healthy, 1, seed=1)]
    dist.destroy_process_group()
print(json.dumps(found))
"""
    )
    *sick, other = found
    assert max(sick) < 1e-4
    assert other > 1e-2, "weights that differ are told apart"


@pytest.mark.slow
def test_a_recording_can_be_made_again(tmp_path: Path) -> None:
    program = tmp_path / "again.py"
    program.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "from pathlib import Path\n"
        "from loader_bound import LoaderBound\n"
        "from recorder import record\n"
        "if __name__ == '__main__':\n"
        "    record(LoaderBound, Path(sys.argv[1]))\n"
    )
    made = tmp_path / "made.pt.trace.json.gz"
    subprocess.run([sys.executable, str(program), str(made)], check=True, capture_output=True)
    read = trace.read(made)
    assert len(read.steps) == 6
    assert {row.name for row in read.ranges()} >= RANGES
