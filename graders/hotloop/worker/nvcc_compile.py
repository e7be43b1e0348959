"""Runs nvcc on one file for one GPU and extracts what it produced, with limits on time and output.

`python -m hotloop.worker.nvcc_compile --fd N` does this for the judge in a sandbox that contains no
private files: a source can include any file that the compiler can read, and error messages then
quote it. This module only selects lines to pass on; it does not interpret them.
"""

import os
import re
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hotloop.core.wire import Message
from hotloop.worker.cuda_tools import HEADERS, with_own_instructions
from hotloop.worker.serve import Worker, serve_as_process

STANDARD = "c++17"

_LOG_LIMIT = 80_000
_CODE_LIMIT = 1 << 26
_PASSED_ON_LIMIT = 150_000
"""Limit in characters, because the code must fit into one message together with the log."""

_FILE_LIMIT = 1 << 29
_NAMES = 500
_HELPER_TIMEOUT_S = 20.0

_MEMORY_OPCODES = r"LDG|LD|LDGSTS|STG|ST|UBLKCP|UTMALDG|UTMASTG"
_ASYNC_OPCODES = r"HGMMA|QGMMA|SYNCS|USETMAXREG|UTCHMMA|UTCQMMA|UTCBAR|UTCATOMSWS|LDTM"
"""Instructions that CudaCompiles can ask for: of warp groups, mbarriers and tensor memory."""

_IN_SASS = re.compile(rf"^\.text\.\S+:|^\s+Function : |\b(?:{_MEMORY_OPCODES}|{_ASYNC_OPCODES})\b")
_IN_PTX = re.compile(r"\.entry |^\s*\.func|^\}|\b(?:ld|st)\.|\bcp\.async\.")
_SASS_PLACE = re.compile(r"^\s*//## File ")
_PTX_PLACE = re.compile(r"^\s*\.loc\s")
_PTX_FILE = re.compile(r"^\s*\.file\s")
_KERNEL = re.compile(r"Compiling entry function '([\w$.]+)'")
_MARKER = re.compile(r'^# \d+ "([^"]*)"', re.MULTILINE)
_PTXAS_LINE = re.compile(r"\.ptx, line (\d{1,9});")


class NvccCompiler(Worker):
    """Answers the request `compile`: one file for one GPU.

    The first request names all GPUs, and nvcc runs for them at once where there are cores.
    """

    def __init__(self) -> None:
        super().__init__({})
        cores = len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(1 if cores == 1 else 2 * cores)
        self._compilations: dict[int, Future[Message]] = {}

    def on_compile(self, message: Message, _fds: list[int]) -> Message:
        """Compile the file `name` with the text `source`; `compile_file` reads the other fields."""
        if not self._compilations:
            self._compilations = {
                capability: self._pool.submit(self._compiled, {**message, "capability": capability})
                for capability in message["capabilities"]
            }
        return self._compilations[message["capability"]].result()

    def _compiled(self, message: Message) -> Message:
        with tempfile.TemporaryDirectory(prefix="nvcc-", dir=Path.cwd()) as folder:
            source = Path(folder) / message["name"]
            source.write_text(message["source"], encoding="utf-8")
            return compile_file(Path(source.name), message, Path(folder))


@dataclass(frozen=True)
class ProgramOutput:
    """A program's output and how it ended: "done", "timeout" or "too_much"."""

    ended: str
    status: int
    text: str


def compile_file(source: Path, job: Message, folder: Path | None = None) -> Message:
    """Compile `source`, a path relative to `folder` (by default the working directory).

    `job`: `tools` (paths by name), `capability` such as 90, `include`, `defines`, `timeout_s`.
    The reply: how nvcc `ended`, its `status` and `log`; the files that it `read` (null if nvcc did
    not list them); the source line for each PTX line that the log names (`places`); demangled
    `names` of kernels; memory instructions in `sass`, or in `ptx` if there is no disassembler; the
    `seconds` that it took. Only `missing`, nvcc's path, if nvcc cannot be executed.
    """
    tools: dict[str, str] = job["tools"]
    if not os.access(tools["nvcc"], os.X_OK):
        return {"missing": tools["nvcc"]}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hotloop-nvcc-", dir=folder) as scratch:
        outputs = _Outputs(Path(scratch), source)
        architecture = f"sm_{job['capability']}"
        architecture = with_own_instructions(architecture, [(folder or Path()) / source])
        command = _command(source, job, outputs, architecture)
        result = call(command, folder, job["timeout_s"], scratch)
        left = max(1.0, job["timeout_s"] - (time.monotonic() - began))
        ptx = _text(outputs.ptx)
        sass = _sass(outputs.cubin, tools["nvdisasm"], left) if result.status == 0 else None
        return {
            "ended": result.ended,
            "status": result.status,
            "log": result.text,
            "read": _read(outputs),
            "places": _places(result.text, ptx, source),
            "names": _demangled(result.text, tools["demangler"]),
            "sass": sass,
            "ptx": _memory(ptx, _IN_PTX, _PTX_PLACE, _PTX_FILE) if sass is None else "",
            "seconds": time.monotonic() - began,
        }


def call(
    command: Sequence[str], folder: Path | None, timeout_s: float, scratch: str
) -> ProgramOutput:
    """Run a program until it ends, reaches the time limit or exceeds the output limit."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": scratch, "LC_ALL": "C.UTF-8"},
        start_new_session=True,
    )
    deadline = time.monotonic() + timeout_s
    most = _LOG_LIMIT if Path(command[0]).name == "nvcc" else _CODE_LIMIT
    try:
        ended, text = _listen(process, deadline, most)
        if ended == "done":
            process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        ended, text = "timeout", ""
    finally:
        # nvcc's child processes are in its process group.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return ProgramOutput(ended, process.returncode, text)


def _listen(process: subprocess.Popen[bytes], deadline: float, most: int) -> tuple[str, str]:
    assert process.stdout is not None
    output = bytearray()
    ended = "done"
    with process.stdout as stream:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                ended = "timeout"
                break
            part = os.read(stream.fileno(), 1 << 16)
            if not part:
                break
            output += part
            if len(output) > most:
                ended = "too_much"
                break
    return ended, output[:most].decode(errors="replace")


class _Outputs:
    """Paths of the files of one compilation. nvcc names the files it keeps after the source."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder = folder
        self.cubin = folder / "out.cubin"
        self.dependencies = folder / "out.d"
        self.ptx = folder / f"{source.stem}.ptx"


def _command(source: Path, job: Message, outputs: _Outputs, architecture: str) -> list[str]:
    return [
        job["tools"]["nvcc"],
        f"-std={STANDARD}",
        "-O3",
        f"-arch={architecture}",
        "-cubin",
        "-Xptxas",
        "-v",
        "-lineinfo",
        "--keep",
        f"--keep-dir={outputs.folder}",
        "-MD",
        "-MF",
        str(outputs.dependencies),
        f"-I{HEADERS}",
        *(f"-I{path}" for path in job["include"]),
        *(f"-D{define}" for define in job["defines"]),
        "-x",
        "cu",
        "-o",
        str(outputs.cubin),
        str(source),
    ]


def _read(outputs: _Outputs) -> list[str] | None:
    """Return the files that nvcc read, without Hotloop's headers; None if nvcc wrote no list.

    They come from the dependency file and from the preprocessor's output: host and device code are
    preprocessed separately and can read different files.
    """
    _, colon, names = _text(outputs.dependencies).replace("\\\n", " ").partition(": ")
    if not colon:
        return None
    read = dict.fromkeys(n.replace("\\ ", " ") for n in re.findall(r"(?:\\ |\S)+", names))
    for output in outputs.folder.glob("*.ii"):
        read.update(dict.fromkeys(_MARKER.findall(_text(output))))
    return [name for name in read if not Path(name).resolve().is_relative_to(HEADERS)]


def _places(log: str, ptx: str, source: Path) -> dict[str, int]:
    """Return the source line for each PTX line that a diagnostic of ptxas names."""
    lines = ptx.splitlines()
    own = {
        match[1]
        for line in lines
        if (match := re.match(r'\s*\.file\s+(\d+) "([^"]*)"', line))
        and Path(match[2]).name == source.name
    }
    places: dict[str, int] = {}
    for number in set(_PTXAS_LINE.findall(log)):
        for line in reversed(lines[: int(number)]):
            match = re.match(r"\s*\.loc\s+(\d+) (\d+)", line)
            if match is not None and match[1] in own:
                places[number] = int(match[2])
                break
    return places


def _demangled(log: str, demangler: str) -> dict[str, str]:
    """Return the kernels' names as in the source, without parameters, by mangled name."""
    names = list(dict.fromkeys(_KERNEL.findall(log)))[:_NAMES]
    if not names or not demangler or not os.access(demangler, os.X_OK):
        return {}
    result = call([demangler, "-p", *names], None, _HELPER_TIMEOUT_S, tempfile.gettempdir())
    demangled = result.text.splitlines()
    return dict(zip(names, demangled, strict=True)) if len(demangled) == len(names) else {}


def _sass(cubin: Path, nvdisasm: str, timeout_s: float) -> str | None:
    if not nvdisasm or not os.access(nvdisasm, os.X_OK):
        return None
    result = call([nvdisasm, "-c", "-g", str(cubin)], None, timeout_s, str(cubin.parent))
    if result.ended != "done" or result.status != 0:
        return None
    return _memory(result.text, _IN_SASS, _SASS_PLACE, None)


def _memory(
    code: str, wanted: re.Pattern[str], place: re.Pattern[str], always: re.Pattern[str] | None
) -> str:
    """Return the lines that begin a function or access memory, cut to what a message can hold."""
    selected: list[str] = []
    size = 0
    for line in _memory_lines(code, wanted, place, always):
        size += len(line) + 1
        if size > _PASSED_ON_LIMIT:
            break
        selected.append(line.strip() if line[:1].isspace() else line)
    return "\n".join(selected)


def _memory_lines(
    code: str, wanted: re.Pattern[str], place: re.Pattern[str], always: re.Pattern[str] | None
) -> Iterator[str]:
    """Yield lines that begin a function or access memory, each after its source location."""
    pending = ""
    for line in code.splitlines():
        if place.search(line):
            pending = line
        elif always is not None and always.search(line):
            yield line
        elif wanted.search(line):
            if pending:
                yield pending
                pending = ""
            yield line


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(_CODE_LIMIT).decode(errors="replace")
    except OSError:
        return ""


def main() -> None:
    """Serve the judge, without NVCC_* variables and with a limit on the size of files."""
    for name in [name for name in os.environ if name.startswith("NVCC_")]:
        del os.environ[name]
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))
    serve_as_process(NvccCompiler())


if __name__ == "__main__":
    main()
