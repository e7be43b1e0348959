"""Checks of a product in CuTe DSL and in cuTile, which compile it without a GPU.

The candidate's process writes PTX or Tile IR. Processes of ours run the Tile IR, assemble both, and
disassemble the machine code; they have none of the candidate's code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from hotloop.core.wire import Message, as_message
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, dict_mismatch
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.gemm_hopper.listings import LISTINGS

PROGRAMS = Path(__file__).parent / "programs"
ASSEMBLER = Program({"tile_assembling.py": PROGRAMS / "tile_assembling.py"}, "tile_assembling.py")
MACHINE = Program({"tile_machine.py": PROGRAMS / "tile_machine.py"}, "tile_machine.py")
TIMEOUT_S = 120.0

TILE_M, TILE_K = 128, 64
CUTE_TILES = ((64, 2), (128, 4), (256, 3))
"""Columns of a tile, and slots."""
COMMENTS = (
    "// wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 of another tile",
    "\t// mbarrier.init.shared.b64 [%r1], %r2;",
    "// setmaxnreg.inc.sync.aligned.u32 \t240;",
    "// mov.b32 %r102, 4096; cp.async.bulk.tensor.2d.shared::cta.global.tile",
)
TILES = ((128, 128, 64), (64, 256, 64), (128, 64, 32))
SIZES = (
    ((64, 64, 96), (32, 32, 32)),
    ((40, 56, 72), (16, 32, 32)),
    ((33, 17, 5), (32, 16, 16)),
    ((16, 48, 700), (16, 16, 64)),
)
"""m, n and k, and the sizes of a tile: without a rest, with rests, a k below the tile, a long k."""


# --- CuTe DSL -------------------------------------------------------------------------------------


def readings(rng: Rng) -> Iterator[Question]:
    """Yield a question for each recorded PTX, with other numbers and comments inserted."""
    for path in sorted(LISTINGS.glob("*.ptx")):
        lines = _with_other_numbers(rng, path.read_text(encoding="utf-8")).splitlines()
        want = facts("\n".join(lines))
        for comment in COMMENTS:
            lines.insert(int(rng.integers(len(lines) // 4, len(lines))), comment)
        file = GivenFile("kernel.ptx", ("\n".join(lines) + "\n").encode())
        yield Question(path.stem, (file,), partial(dict_mismatch, "the reading", want=want))


def _with_other_numbers(rng: Rng, ptx: str) -> str:
    """Draw the registers of each warp group, of which there are two, and some arrivals."""

    def registers(match: re.Match[str]) -> str:
        return "\n".join(f"{match[1]}{8 * rng.integers(3, 31)};" for _ in range(2))

    def arrivals(match: re.Match[str]) -> str:
        return f"{match[1]}{rng.integers(1, 9)};" if rng.random() < 0.5 else match[0]

    ptx = re.sub(r"(\bsetmaxnreg\.(?:dec|inc)\S*\s+)\d+;", registers, ptx)
    return re.sub(r"(\bmbarrier\.init\.shared\S*\s+\[[^]]+\], )%?\w+;", arrivals, ptx)


def facts(ptx: str) -> dict[str, int | str | None]:
    """Return what `read_ptx` must return."""
    text = "\n".join(line.split("//")[0] for line in ptx.splitlines())
    shapes = re.findall(r"\bwgmma\.mma_async\.sync\.aligned\.(m\d+n\d+k\d+)\.", text)
    inits = re.findall(r"\bmbarrier\.init\.shared\S*\s+\[[^]]+\], (%?\w+);", text)
    expects = re.findall(r"\bmbarrier\.arrive\.expect_tx\S*\s+\S+, \[[^]]+\], (%?\w+);", text)
    arrivals = [_number(text, each) for each in inits]
    registers = re.findall(r"\bsetmaxnreg\.(dec|inc)\S*\s+(\d+);", text)
    return {
        "shape": shapes[0] if shapes else None,
        "products": len(shapes),
        "barriers": len(inits),
        "arrivals": max(arrivals, default=0),
        "loads": len(re.findall(r"\bcp\.async\.bulk\.tensor\.\dd\.shared", text)),
        "bytes": max((_number(text, each) for each in expects), default=0),
        "producer_registers": min((int(n) for kind, n in registers if kind == "dec"), default=0),
        "consumer_registers": max((int(n) for kind, n in registers if kind == "inc"), default=0),
    }


def _number(text: str, operand: str) -> int:
    """Return a constant, which may stand in a register that is set once."""
    if operand.isdecimal():
        return int(operand)
    mov = re.search(rf"\bmov\.[bsu]32\s+{re.escape(operand)}, (\d+);", text)
    return int(mov[1]) if mov else 0


def cute_compiles(_rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require PTX that ptxas takes, with the pipeline of such a kernel."""
    for tile in CUTE_TILES:
        label = "{} columns, {} slots".format(*tile)
        yield Assignment(label, tile, "kernel.ptx", partial(_ptx_mismatch, tile, session))


def _ptx_mismatch(tile: tuple[int, int], session: Session, data: bytes) -> str | None:
    columns, slots = tile
    figures = facts(data.decode("utf-8", "replace"))
    counts = {name: each for name, each in figures.items() if isinstance(each, int)}
    shape, steps = f"m64n{columns}k16", TILE_K // 16
    if figures["shape"] != shape or counts["products"] < steps:
        return (
            f"the PTX has {counts['products']} wgmma of {figures['shape']}, expected {steps} of "
            f"{shape} for each step: a warp group has 64 rows, and k is 16"
        )
    if counts["loads"] < 2 or counts["barriers"] < 2 * slots:
        return (
            f"the PTX has {counts['loads']} tensor loads and initializes {counts['barriers']} "
            f"barriers, expected 2 and {2 * slots}: a full and an empty one for each slot"
        )
    size = 2 * (TILE_M + columns) * TILE_K
    if counts["bytes"] != size:
        return (
            f"a phase expects {counts['bytes']} bytes, and tiles of a and b in a slot have {size}"
        )
    if not counts["producer_registers"] or not counts["consumer_registers"]:
        return "no setmaxnreg moves registers from the warps that copy to those that multiply"
    report = _assembled(session, "ptx", GivenFile("kernel.ptx", data), "sm_90a")
    with reading():
        if report["error"] is not None:
            return f"ptxas refuses it: {report['error']}"
        if int(report["spilled"]):
            return f"the kernel spills {report['spilled']} bytes of registers"
    return None


# --- cuTile ---------------------------------------------------------------------------------------


def values(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require the product's exact values where the Tile IR runs on numpy."""
    for (m, n, k), tile in SIZES:
        a, b = (rng.integers(-4, 5, shape).astype(float) for shape in ((m, k), (k, n)))
        # A few large numbers: partial sums leave the integers that float16 holds.
        a[:, 0], b[0, :] = 64, 48
        a[:, -1], b[-1, :] = -64, 48
        label = f"{m} x {k} times {k} x {n}, tiles {' x '.join(map(str, tile))}"
        mismatch = partial(_value_mismatch, a, b, tile, session)
        yield Assignment(label, tile, "kernel.tileir", mismatch)


def _value_mismatch(
    a: np.ndarray, b: np.ndarray, tile: tuple[int, int, int], session: Session, data: bytes
) -> str | None:
    process = MACHINE.given(session, "runs the kernel")
    file = GivenFile("kernel.tileir", data)
    answer = process.ask("run", file, a.tolist(), b.tolist(), list(tile), timeout_s=TIMEOUT_S)
    report = as_message(answer) or {"error": "no answer"}
    with reading():
        if report["error"] is not None:
            return f"the Tile IR does not run: {report['error']}"
        rows = [[float("nan") if n is None else float(n) for n in row] for row in report["c"]]
        c, want = np.array(rows), (a @ b).astype(np.float16)
    if c.shape != want.shape:
        return f"c has the shape {c.shape}"
    wrong = np.argwhere(~(c == want))
    if len(wrong):
        i, j = map(int, wrong[0])
        return f"c[{i}, {j}] is {c[i, j]:g}, expected {float(want[i, j]):g}"
    return None


def cutile_compiles(_rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require machine code with the products and copies of Hopper and of Blackwell."""
    for tile in TILES:
        label = "a tile of {} x {} x {}".format(*tile)
        yield Assignment(label, tile, "kernel.tileir", partial(_tile_mismatch, tile, session))


def _tile_mismatch(tile: tuple[int, int, int], session: Session, data: bytes) -> str | None:
    file = GivenFile("kernel.tileir", data)
    for arch, product in (("sm_90", "HGMMA"), ("sm_100", "UTCHMMA")):
        report = _assembled(session, "tile_ir", file, arch)
        with reading():
            if report["error"] is not None:
                return f"tileiras refuses it for {arch}: {report['error']}"
            sass = ASSEMBLER.given(session, "assembles").take(report["sass"]).decode()
        opcodes = Counter(re.findall(r"(?m)^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?(\w+)", sass))
        if not opcodes[product] or opcodes["UTMALDG"] < 2:
            return (
                f"the machine code of {arch} has {opcodes[product]} {product} and "
                f"{opcodes['UTMALDG']} UTMALDG, expected products of tensor cores and two loads "
                "of tiles by TMA"
            )
        shapes = {(int(m), int(n)) for m, n in re.findall(r"HGMMA\.(\d+)x(\d+)x\d+\.F32", sass)}
        if arch == "sm_90" and shapes != {(64, tile[1])}:
            return (
                f"its wgmma with sums in float32 have the shapes {sorted(shapes)}, expected 64 "
                f"rows and the tile's {tile[1]} columns"
            )
    return None


def _assembled(session: Session, kind: str, file: GivenFile, arch: str) -> Message:
    process = ASSEMBLER.given(session, "assembles")
    return as_message(process.ask(kind, file, arch, timeout_s=TIMEOUT_S)) or {"error": "no answer"}
