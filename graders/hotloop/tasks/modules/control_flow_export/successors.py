"""The successors of TorchScript's constructs, compared with known facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from hotloop.core.wire import as_message
from hotloop.judge.questions import Question, shown
from hotloop.judge.seeds import Rng

CHOICES = (
    "torch.export.export",
    "torch.export.save",
    "torch.export.load",
    "torch.compile",
    "torch.cond",
    "while_loop",
    "dynamic_shapes",
    "AOTInductor",
    "torch.library.custom_op",
    "one program each",
)

SUCCESSORS: Mapping[str, frozenset[str]] = {
    "torch.jit.trace": frozenset({"torch.export.export"}),
    "torch.jit.script": frozenset({"torch.export.export"}),
    "torch.jit.save": frozenset({"torch.export.save"}),
    "torch.jit.load in Python": frozenset({"torch.export.load"}),
    "torch::jit::load in C++": frozenset({"AOTInductor"}),
    "torch.jit.freeze": frozenset({"AOTInductor"}),
    "torch.jit.optimize_for_inference": frozenset({"AOTInductor"}),
    "an if on a tensor's value": frozenset({"torch.cond"}),
    "an if on a size": frozenset({"dynamic_shapes", "torch.cond"}),
    "a while on a tensor's value": frozenset({"while_loop"}),
    "@torch.jit.export on a second method": frozenset({"one program each"}),
    "@torch.jit.ignore on a function in Python": frozenset({"torch.library.custom_op"}),
    "a traced example's fixed batch": frozenset({"dynamic_shapes"}),
}
"""What goes into a file that runs without Python. Where two ways are documented, both are right.

Sources: https://docs.pytorch.org/docs/stable/export.html, …/cond.html,
…/torch.compiler_aot_inductor.html, and https://docs.pytorch.org/docs/stable/jit.html for the
deprecation; while_loop is torch._higher_order_ops.while_loop, a prototype in 2.13.
"""


def questions(_rng: Rng) -> Iterator[Question]:
    """Yield a question for each construct, all of which the one table answers."""
    for construct in SUCCESSORS:
        yield Question("Your table", (), partial(mismatch, constructs=(construct,)))


def mismatch(answer: object, constructs: Collection[str] = SUCCESSORS) -> str | None:
    """Return a message about the first of these constructs with a wrong successor, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    if len({shown(reported.get(construct)) for construct in SUCCESSORS}) == 1:
        return f"it says {shown(reported.get('torch.jit.trace'))} for every construct"
    for construct in constructs:
        successor = reported.get(construct)
        if successor not in CHOICES:
            return f"for “{construct}” it says {shown(successor)}, which is none of the choices"
        if successor not in SUCCESSORS[construct]:
            return f"“{construct}” has another successor than {successor}"
    return None
