"""How much of CUDA that others wrote does the simulator run?

    git clone https://github.com/NVIDIA/cuda-samples
    python tests/benchmarks/real_cuda.py cuda-samples/Samples -I cuda-samples/Common --keep
    python tests/benchmarks/real_cuda.py HeCBench/src --match -cuda$ --every 9 --keep

Every folder with .cu files is tried. It is one program, of the sources that its Makefile names, or
of all its .cu, .cpp and .c files that no other one includes; if several files have a `main`, each
makes a program with the files that have none. Arguments are those of the Makefile's `run` target,
or of a script called `run`. Programs that do not build and need more than the CUDA runtime API are
counted separately.

A program runs under `--check`, in one order of its threads, for at most `--seconds`; if that is too
slow or fails, it runs again without checks, unless `--once` is given. `--keep` writes each row to
tests/benchmarks/results/real_cuda.json, and skips programs that are there, except for rows that
`--again` names. The programs themselves are not stored.
"""

import argparse
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.problem import SimulatorError
from hotloop.judge.device import device_name

RESULT = Path(__file__).parent / "results" / "real_cuda.json"
BUILD_S, RUN_S = 120, 20

OTHER = {
    "driver API": r"\bcu(?:Init|DeviceGet|Ctx[A-Z]\w+|Module[A-Z]\w+) *\(",
    "graphics": r"include .*(?:\b(?:GL|GLES\d?|EGL|GLFW|vulkan)/|\b(?:cudaEGL|d3d|helper_gl))",
    "NVRTC": r"include .nvrtc",
    "a CUDA library": r"include .(?:cublas|cufft|curand|cusolver|cusparse|cudnn|cudla|npp|nvjpeg"
    r"|nccl|nvml|nvsci|cutlass)",
    "Thrust, CUB or libcu++": r"include .(?:thrust/(?!complex)|cub/|cuda/(?!barrier|pipeline))",
    "a host library": r"include .(?:mpi\.h|omp\.h|FreeImage|opencv|boost/|png|jpeg|gsl/|sycl/)",
}
"""Libraries beyond the CUDA runtime, by the includes or calls that show their use."""

LACKS = r"[Ww]aiv|not support|only supported|[Rr]equires|not simulated"
"""Output of a program whose device lacks a feature."""
NO_FILE = r"(?i)(error|un|not|n't)[a-z]* (be )?(to )?(open|read)|no such file"


LIMITS = {"timeout": "too slow", "out_of_memory": "too large", "unsupported": "not supported"}
"""Findings about the simulator's own limits, and their names in the table."""


@dataclass(frozen=True)
class Program:
    """A program's sources, in a folder, and its arguments."""

    name: str
    folder: Path
    sources: tuple[Path, ...]
    include: tuple[Path, ...]
    arguments: tuple[str, ...]


@dataclass
class Row:
    """The result of one program.

    came: "other libraries", "not built", "slow", "no data", "too large" (for the simulator's
    memory), "refused" (the program, or the simulator at run time, said what is missing), "failed",
    "right" or "right and clean".
    said: which libraries, the compiler's first error, or the program's last output.
    """

    program: str
    came: str
    said: str = ""
    findings: tuple[str, ...] = ()
    seconds: float = 0.0


def main() -> None:
    """Try the programs, print and count the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-I", dest="include", action="append", type=Path, default=[])
    parser.add_argument("--match", default="", help="only programs whose name has this expression")
    parser.add_argument("--every", type=int, default=1, help="of the folders, every N-th")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--seconds", type=int, default=RUN_S, help="what a run may take")
    parser.add_argument("--once", action="store_true", help="never without checks")
    parser.add_argument("--again", help='rows "NAME: CAME" that are made anew')
    arguments = parser.parse_args()
    kept = rows_of(arguments.folder) if arguments.keep else {}
    rows: list[Row] = []
    for program in programs(arguments.folder, arguments.include, arguments.match, arguments.every):
        row = kept.get(program.name)
        again = row and arguments.again and re.search(arguments.again, f"{row.program}: {row.came}")
        if row is None or again:
            row = outcome(program, arguments.seconds, again=not arguments.once)
            print(f"{row.program}: {row.came} ({row.seconds} s) {row.said}", file=sys.stderr)
        rows.append(row)
        if arguments.keep:
            kept[row.program] = row
            keep(arguments.folder, kept, arguments.seconds)
    print(summary(rows))
    if arguments.keep:
        print(table())


def programs(folder: Path, include: Sequence[Path], match: str, every: int) -> Iterator[Program]:
    """Yield the programs of each folder that holds CUDA sources."""
    homes = sorted({home(path.parent, folder) for path in folder.rglob("*.cu")})
    for place in [p for p in homes if re.search(match, str(p.relative_to(folder)))][::every]:
        sources = sources_of(place)
        mains = [s for s in sources if has_main(s)]
        named = re.findall(r"-I *(\w[\w./+-]*|\.[\w./+-]*)", makefile(place))
        near = (place, *(place / name for name in named), place.parent / "inc")
        around = (*include, *(path for path in near if path.is_dir()))
        for main in mains:
            name = place.relative_to(folder) / (main.name if len(mains) > 1 else "")
            group = (main, *(s for s in sources if s not in mains))
            if not any(s.suffix == ".cu" for s in group):
                continue
            yield Program(str(name), place, group, around, arguments_of(place))


def home(place: Path, folder: Path) -> Path:
    """Return the folder of the program that sources belong to: the one with its `main`."""
    for near in (place, *place.parents):
        if near == folder:
            break
        if any(has_main(path) for path in files(near, "*")):
            return near
    return place


def files(place: Path, pattern: str) -> list[Path]:
    """Return the sources in a folder."""
    return [p for end in ("cu", "cpp", "c") for p in sorted(place.glob(f"{pattern}.{end}"))]


def has_main(source: Path) -> bool:
    """Return whether the file defines `main`."""
    return bool(re.search(r"^(?:\w+\s+)*main\s*\(", text_of(source), re.MULTILINE))


def sources_of(place: Path) -> list[Path]:
    """Return the sources that the Makefile names, or all that no other source includes."""
    list_of_sources = r"^\w+ *:?= *((?:[\w/.-]+\.(?:cu|cpp|cc|c)\b *)+)$"
    named = re.search(list_of_sources, makefile(place), re.MULTILINE)
    sources = [place / name for name in named[1].split()] if named else []
    if any(s.suffix == ".cu" for s in sources) and all(s.is_file() for s in sources):
        return sources
    found = files(place, "*" if any(place.glob("*.cu")) else "**/*")
    text = "\n".join(text_of(path) for path in found)
    included = {Path(name).name for name in re.findall(r'#\s*include\s*"(.*?)"', text)}
    return [path for path in found if path.name not in included]


def arguments_of(place: Path) -> tuple[str, ...]:
    """Return the arguments of the Makefile's `run` target, or of the script `run`."""
    recipe = re.search(r"^run:.*\n((?:\t.*\n?)+)", makefile(place), re.MULTILINE)
    script = place / "run"
    text = recipe[1] if recipe else text_of(script) if script.is_file() else ""
    called = re.search(r"\./\S+([^>\n]*)", text)
    return tuple(shlex.split(called[1])) if called else ()


def makefile(place: Path) -> str:
    """Return the Makefile's text, "" without one."""
    path = place / "Makefile"
    return text_of(path) if path.is_file() else ""


def text_of(path: Path) -> str:
    """Return a source's text, whatever its encoding."""
    return path.read_text(encoding="utf-8", errors="replace")


def outcome(program: Program, seconds: int, *, again: bool) -> Row:
    """Build, check and run it. again: run without checks if that was too slow or failed."""
    started = time.monotonic()
    came, said, findings = tried(program, seconds, again=again)
    return Row(program.name, came, said[:100], findings, round(time.monotonic() - started, 1))


def tried(program: Program, seconds: int, *, again: bool) -> tuple[str, str, tuple[str, ...]]:
    """Return the result, the text and the findings."""
    try:
        checked = done = run(program, seconds, checked=True)
        limited = any(f.kind in LIMITS for f in checked.report.findings)
        if again and (limited or checked.report.ended == "timed out" or checked.status):
            done = run(program, seconds, checked=False)
    except (SimulatorError, TimeoutError) as problem:
        others = other_libraries(program)
        return (
            ("other libraries", others, ()) if others else ("not built", first_error(problem), ())
        )
    for finding in checked.report.findings:
        print(f"    {finding.kind}: {finding.text} {finding.lines}", file=sys.stderr)
    found = tuple(
        f"{f.kind} {', '.join(map(str, f.lines))}".strip()
        for f in checked.report.findings
        if f.kind not in LIMITS and "is not simulated" not in f.text
    )
    if lacks_data(program):
        return "no data", "", found
    too_large = [f.text for f in done.report.findings if f.kind == "out_of_memory"]
    if too_large:
        return "too large", too_large[0].partition(" failed")[0], found
    if done.report.ended == "timed out":
        return "slow", "", found
    unsupported = [
        f.text
        for f in done.report.findings
        if f.kind == "unsupported" or "is not simulated" in f.text
    ]
    said = [*unsupported, *(done.output + done.errors).splitlines()]
    failed = [line for line in said if re.search(r"\bFAIL(ED)?\b|[Tt]est failed", line)]
    if done.status or failed:
        lacks = [line for line in said if re.search(LACKS, line)]
        has_no_file = any(re.search(NO_FILE, line) for line in said)
        came = "no data" if has_no_file else "refused" if lacks else "failed"
        return came, [*lacks, *failed, said_last(done)][0], found
    if done is not checked:
        kinds = [LIMITS[f.kind] for f in checked.report.findings if f.kind in LIMITS]
        slow = ["too slow"] if checked.report.ended == "timed out" else []
        return "right", f"under check: {[*kinds, *slow, said_last(checked)][0]}", found
    return ("right" if found else "right and clean"), "; ".join(found), found


def said_last(done: host.ProgramRun) -> str:
    """Return the last line that it printed, or its exit status."""
    return [f"status {done.status}", *(done.output + done.errors).strip().splitlines()][-1]


def other_libraries(program: Program) -> str:
    """Return which libraries of OTHER its sources and headers use."""
    texts = [text_of(p) for p in {*program.sources, *program.folder.glob("*.[ch]*")} if p.is_file()]
    return ", ".join(name for name, used in OTHER.items() if re.search(used, "\n".join(texts)))


def lacks_data(program: Program) -> bool:
    """Return whether an argument is a path that does not exist."""
    return any("/" in a and not (program.folder / a).exists() for a in program.arguments)


def run(program: Program, seconds: int, *, checked: bool) -> host.ProgramRun:
    """Build and run it once."""
    with at_most(BUILD_S):
        built = build.program(program.sources, checked=checked, include=program.include)
    return host.run(built, program.arguments, timeout_s=seconds, cwd=program.folder)


@contextmanager
def at_most(seconds: int) -> Generator[None]:
    """Raise TimeoutError if the context takes longer."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"building took more than {seconds} s")

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def first_error(problem: Exception) -> str:
    """Return the compiler's first error, without its location."""
    text = str(problem)
    errors = re.findall(r"error: (?:\S+\.o: )?(.*)", text)
    return errors[0] if errors else text.splitlines()[0]


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """Return the counts for the table."""
    came = Counter(row.came for row in rows)
    tried = len(rows) - came["other libraries"]
    return {
        "programs": len(rows),
        "other libraries": came["other libraries"],
        "runtime API only": tried,
        "built": tried - came["not built"],
        "right": came["right"] + came["right and clean"],
        "clean": came["right and clean"],
        "failed": came["failed"],
        "refused": came["refused"],
        "slow": came["slow"],
        "too large": came["too large"],
        "no data": came["no data"],
    }


def summary(rows: Sequence[Row]) -> str:
    """Return the counts, and why programs were not tried or not built."""
    head = ", ".join(f"{count} {name}" for name, count in counts(rows).items())
    refused = Counter(
        (row.came, row.said) for row in rows if row.came in {"not built", "other libraries"}
    )
    reasons = [f"{count:4} × {came}: {said}" for (came, said), count in refused.most_common()]
    return "\n".join([head, *reasons])


def table() -> str:
    """Return the README's table of the stored results."""
    said = {name: counted(one) for name, one in collections().items()}
    heads = ["collection", *next(iter(said.values()))]
    rows = [[name, *map(str, numbers.values())] for name, numbers in said.items()]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# --- results ------------------------------------------------------------------------------------


def collections() -> dict[str, Any]:
    """Return the stored results by collection."""
    return json.loads(RESULT.read_text(encoding="utf-8"))["collections"] if RESULT.exists() else {}


def counted(kept: dict[str, Any]) -> dict[str, int]:
    """Return the counts of a stored collection."""
    return counts([Row(**row) for row in kept["programs"]])


def rows_of(folder: Path) -> dict[str, Row]:
    """Return the rows of a collection, by program."""
    rows = collections().get(collection(folder), {"programs": []})["programs"]
    return {row["program"]: Row(**row) for row in rows}


def keep(folder: Path, rows: dict[str, Row], seconds: int) -> None:
    """Replace a collection's rows in the result file."""
    name, today = collection(folder), f"{datetime.now(UTC):%Y-%m-%d}"
    said = {
        "commit": git(folder, "rev-parse", "HEAD"),
        "date": today,
        "seconds": seconds,
        "programs": [asdict(row) for row in rows.values()],
    }
    found = {**collections(), name: said}
    table_rows = [{"collection": name, **counted(one)} for name, one in found.items()]
    document = {"device": device_name(), "date": today, "rows": table_rows, "collections": found}
    RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def collection(folder: Path) -> str:
    """Return the repository's name, and the folder in it."""
    top = Path(git(folder, "rev-parse", "--show-toplevel"))
    return str(folder.resolve().relative_to(top.parent))


def git(folder: Path, *arguments: str) -> str:
    """Return git's output for a repository."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
