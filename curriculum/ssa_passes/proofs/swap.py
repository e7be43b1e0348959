"""Leaving SSA: copies in place of phis go wrong in two ways if they are put one after the other."""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir

# --8<-- [start:swap]
SWAP = """
func f(n: int) -> int
b0:
  jump b1
b1:
  a: int = phi b0 1 b2 b
  b: int = phi b0 2 b2 a
  i: int = phi b0 0 b2 j
  go: bool = lt i n
  branch go b2 b3
b2:
  j: int = add i 1
  jump b1
b3:
  return a
"""
# --8<-- [end:swap]

LOST = """
func g(n: int) -> int
b0:
  jump b1
b1:
  i: int = phi b0 0 b1 j
  j: int = add i 1
  go: bool = lt j n
  branch go b1 b2
b2:
  return i
"""


def one_after_the_other(function: ir.Function) -> ir.Function:
    """Each phi becomes a copy at the end of every predecessor."""
    return with_copies(function, lambda copies, _fresh: copies)


def at_once(function: ir.Function) -> ir.Function:
    """All values are put aside first, so that no copy overwrites what another one reads."""

    def aside(copies: list[ir.Instr], fresh) -> list[ir.Instr]:
        kept = [ir.Instr("copy", c.args, fresh(), c.type) for c in copies]
        return kept + [
            ir.Instr("copy", [k.to], c.to, c.type) for k, c in zip(kept, copies, strict=True)
        ]

    return with_copies(function, aside)


def with_copies(function: ir.Function, order) -> ir.Function:
    """Without phis. Edges from a branch to a join get a block of their own first."""
    function = split(ir.parse(str(function)))
    count = iter(range(1000))
    by_block: dict[str, list[ir.Instr]] = {}
    for block in function.blocks:
        for phi in block.phis:
            for label, value in phi.incoming:
                by_block.setdefault(label, []).append(ir.Instr("copy", [value], phi.to, phi.type))
        block.instrs = [instr for instr in block.instrs if instr.op != "phi"]
    for label, copies in by_block.items():
        function.block(label).instrs[-1:-1] = order(copies, lambda: f"aside_{next(count)}")
    return function


def split(function: ir.Function) -> ir.Function:
    """A block on each critical edge: from a branch to a block with several ways in."""
    for block in list(function.blocks):
        for follower in block.successors:
            if block.end.op != "branch" or not function.block(follower).phis:
                continue
            name = f"{block.name}_to_{follower}"
            function.blocks.append(ir.Block(name, [ir.Instr("jump", [follower])]))
            ways = block.end.args
            block.end.args = ways[:1] + [name if way == follower else way for way in ways[1:]]
            for phi in function.block(follower).phis:
                phi.args[::2] = [name if way == block.name else way for way in phi.args[::2]]
    return function


def main() -> None:
    """Print what three translations of two functions return."""
    for name, text in (("swap", SWAP), ("lost copy", LOST)):
        original = ir.parse(text)
        given = [4]
        right = ir.run(original, given)[1]
        answers = {
            "in SSA": right,
            "sequential copies": ir.run(one_after_the_other(original), given)[1],
            "parallel copies": ir.run(at_once(original), given)[1],
        }
        if name == "lost copy":
            # Without the block on the edge, the copy also runs on the way out of the loop.
            unsplit = ir.parse(text)
            copy = ir.Instr("copy", ["j"], "i", "int")
            unsplit.block("b1").instrs[:] = unsplit.block("b1").instrs[1:]
            unsplit.block("b1").instrs[-1:-1] = [copy]
            unsplit.block("b0").instrs[-1:-1] = [ir.Instr("copy", ["0"], "i", "int")]
            answers["copy in the loop's own block"] = ir.run(unsplit, given)[1]
        print(f"{name}: " + ", ".join(f"{how} {got}" for how, got in answers.items()))
        assert answers["parallel copies"] == right
        wrong = "sequential copies" if name == "swap" else "copy in the loop's own block"
        assert answers[wrong] != right


if __name__ == "__main__":
    main()
