"""What a run of a submission shows about whose work it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.worker_connection import NO_PROTOCOL, readable

MOST_SHARE = 0.9
"""From this share on, the work is the library's."""

LEAST_SHARE = 0.5
"""Below this share, the work is the kernels' own."""

_MOST = 1 << 62


@dataclass(frozen=True)
class Amount:
    """Of one operation of PyTorch, or of one kernel. line: 0 for a kernel."""

    name: str
    line: int
    flops: int
    bytes: int


@dataclass(frozen=True)
class Ran:
    """What the submission's process recorded of one call.

    reaches: whether something that its kernels stored is in what it returned.
    """

    operations: tuple[Amount, ...]
    kernels: tuple[Amount, ...]
    reaches: bool

    @classmethod
    def of(cls, reply: Any) -> Ran:
        """Read a worker's reply. Raises Ruling TAMPERED if it has another form."""
        try:
            [watched] = as_list(reply.get("watched"))
            if (told := as_message(watched)) is None:
                raise TypeError
            operations = [_amount(each, 3) for each in as_list(told.get("operations"))]
            kernels = [_amount(each, 2) for each in as_list(told.get("kernels"))]
        except (TypeError, ValueError, AttributeError, IndexError):
            raise Ruling(Verdict.TAMPERED, NO_PROTOCOL) from None
        return cls(tuple(operations), tuple(kernels), told.get("reaches") is True)

    def share(self, flops: float) -> tuple[float, Amount | None, str]:
        """Return PyTorch's share of the work, the operation that does most, and of what it is.

        flops: of the problem's own code. A kernel's sums are no products that could be counted, so
        PyTorch's products are compared with the problem's too.
        """
        theirs, own = _total(self.operations, "flops"), _total(self.kernels, "flops")
        if flops or theirs:
            most = max(self.operations, key=lambda each: each.flops, default=None)
            return theirs / max(flops, theirs + own, 1), most, "multiplications"
        theirs, own = _total(self.operations, "bytes"), _total(self.kernels, "bytes")
        most = max(self.operations, key=lambda each: each.bytes, default=None)
        return theirs / max(theirs + own, 1), most, "bytes"


def _total(amounts: tuple[Amount, ...], what: str) -> int:
    return sum(cast(int, getattr(each, what)) for each in amounts)


def _amount(entry: Any, numbers: int) -> Amount:
    """Read `[name, (line,) calls, flops, bytes]`."""
    values = as_list(entry)
    name, rest = readable(values[0], 60), values[1:]
    line = int(rest.pop(0)) if numbers == 3 else 0
    _calls, flops, moved = (max(0, min(_MOST, int(each))) for each in rest)
    return Amount(name, line, flops, moved)
