"""What an export of Nsight Systems shows: launches that come late, copies, the range that waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from hotloop.judge.questions import GivenFile, Question, dict_mismatch
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.profile_training_loop.nsys_export import (
    COPIES,
    PAGEABLE,
    PUSH_POP,
    NsysExport,
    Row,
)

DECISIVE = 1.2
"""The largest gap or wait is at least so many times the next one."""
FILES = 2
WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")

Answer = Mapping[str, object]


def questions(answer: Callable[[NsysAnswers], Answer], rng: Rng) -> Iterator[Question]:
    """Yield a question for each of some exports. answer: returns the right answer."""
    for number in range(FILES):
        export = decisive(rng)
        want = answer(NsysAnswers(export))
        file = GivenFile("run.sqlite", export.sqlite())

        def mismatch(got: object, want: Answer = want) -> str | None:
            return dict_mismatch("the answer", got, want)

        yield Question(f"Export {number + 1}", (file,), mismatch)


def decisive(rng: Rng) -> NsysExport:
    """Return an export in which no second answer is nearly as good."""
    while True:
        export = NsysExport(rng)
        answers = NsysAnswers(export)
        tables = [answers.late(device) for device in answers.devices]
        tables.append(list(answers.waits().values()))
        if all(_stands_out(table) for table in tables):
            return export


def _stands_out(values: list[int]) -> bool:
    *_, second, first = (0, *sorted(values))
    return first > DECISIVE * second


class NsysAnswers:
    """The rows of an export, and what follows from them."""

    def __init__(self, export: NsysExport) -> None:
        tables = export.tables
        prefix = "CUPTI_ACTIVITY_KIND_"
        self._texts = {row["id"]: str(row["value"]) for row in tables["StringIds"]}
        self._calls = tables[f"{prefix}RUNTIME"]
        self._kernels = tables[f"{prefix}KERNEL"]
        self._copies = tables[f"{prefix}MEMCPY"]
        self._work = [*self._kernels, *self._copies, *tables[f"{prefix}MEMSET"]]
        self._ranges = [row for row in tables["NVTX_EVENTS"] if row["eventType"] == PUSH_POP]
        self.devices = sorted({row["deviceId"] for row in self._work})

    def launch_gaps(self) -> Answer:
        """Return for each GPU how long it is idle, how long since no call came, and the worst."""
        return {str(device): self._launch_gaps(device) for device in self.devices}

    def _launch_gaps(self, device: int) -> Answer:
        gaps = list(self._gaps(device))
        late = [(after - before, call) for before, after, call in gaps if call["start"] > before]
        longest, call = max(late, key=lambda gap: gap[0])
        idle = sum(after - before for before, after, _ in gaps)
        lost = sum(ns for ns, _ in late)
        return {"idle": idle, "late": lost, "longest": longest, "range": self._path(call)}

    def late(self, device: int) -> list[int]:
        """Return the gaps of a GPU that a late call ended, in nanoseconds."""
        return [
            after - before for before, after, call in self._gaps(device) if call["start"] > before
        ]

    def copies(self) -> Answer:
        """Return for each direction the nanoseconds, those beside a kernel, and pageable copies."""
        found: dict[str, dict[str, int]] = {}
        for copy in self._copies:
            of = found.setdefault(COPIES[copy["copyKind"]][1], dict.fromkeys(FIGURES, 0))
            of["ns"] += copy["end"] - copy["start"]
            of["hidden"] += self._beside_kernels(copy)
            of["pageable"] += PAGEABLE in (copy["srcKind"], copy["dstKind"])
        return found

    def _beside_kernels(self, copy: Row) -> int:
        """Return the nanoseconds of a copy in which a kernel runs on its GPU: one at most does."""
        kernels = [row for row in self._kernels if row["deviceId"] == copy["deviceId"]]
        overlaps = (min(k["end"], copy["end"]) - max(k["start"], copy["start"]) for k in kernels)
        return sum(max(0, overlap) for overlap in overlaps)

    def waits(self) -> Counter[str]:
        """Return the nanoseconds of synchronizing calls, by the path of the range around them."""
        waits: Counter[str] = Counter()
        for call in self._calls:
            if self._texts[call["nameId"]].startswith(WAITS):
                waits[self._path(call)] += call["end"] - call["start"]
        return waits

    def waiting_range(self) -> Answer:
        """Return the range that waits longest in all processes and threads."""
        ((path, ns),) = self.waits().most_common(1)
        return {"range": path, "ns": ns}

    def _gaps(self, device: int) -> Iterator[tuple[int, int, Row]]:
        """Yield when a GPU is idle, and the call that ended it."""
        work = sorted((r for r in self._work if r["deviceId"] == device), key=lambda r: r["start"])
        calls = {
            call["correlationId"]: call
            for call in self._calls
            if call["globalTid"] >> 24 << 24 == work[0]["globalPid"]
        }
        reached = work[0]["end"]
        for _, row in pairwise(work):
            if row["start"] > reached:
                yield reached, row["start"], calls[row["correlationId"]]
            reached = max(reached, row["end"])

    def _path(self, call: Row) -> str:
        """Return the ranges around a call of its thread, from the outermost to the innermost."""
        around = [
            row
            for row in self._ranges
            if row["globalTid"] == call["globalTid"]
            and row["start"] <= call["start"]
            and (row["end"] is None or call["end"] <= row["end"])
        ]
        around.sort(key=lambda row: row["start"])
        return "/".join(row["text"] or self._texts[row["textId"]] for row in around)


FIGURES = ("ns", "hidden", "pageable")
