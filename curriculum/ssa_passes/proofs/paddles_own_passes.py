"""One pass on PaddlePaddle's PIR: ours, and those that Paddle brings."""

from __future__ import annotations

import contextlib
import io
import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import paddle
import pir_pass

# --8<-- [start:program]
SOURCE = """
def f(a, b, c):
    s = a + b
    if c:
        t = b + a
        print(t)
    m = s * s
    n = s * s
    unread = m - n
    return m
"""
# --8<-- [end:program]
PASSES = ("common_subexpression_elimination_pass", "dead_code_elimination_pass")
COUNTED = ("add", "multiply", "subtract", "if", "print")


def counted(text: str) -> str:
    """Operations in it, by name."""
    counts = {name: text.count('"pd_op.' + name + '"') for name in COUNTED}
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def theirs(*names: str) -> str:
    """What Paddle's passes leave."""
    with contextlib.redirect_stdout(io.StringIO()):  # the print shows a name while it is captured
        program = pir_pass.captured(pir_pass.function(SOURCE))
    manager = paddle.pir.PassManager()
    for name in names:
        manager.add_pass(name, {})
    manager.run(program)
    return str(program)


def main() -> None:
    """Print the operations that are left."""
    captured = pir_pass.captured_text(SOURCE)
    ours = pir_pass.clean_text(SOURCE)
    merged, both = theirs(PASSES[0]), theirs(*PASSES)
    for name, text in {
        "captured": captured,
        "ours": ours,
        "Paddle's merging": merged,
        "and its dead code": both,
    }.items():
        print(f"{name + ':':20}{counted(text)}")

    assert "pd_op.print" in ours
    # Nobody reads the if, so it is taken for dead, with the print inside.
    assert "pd_op.print" in merged
    assert "pd_op.print" not in both


if __name__ == "__main__":
    main()
