"""Questions on graphs, SSA construction and broken SSA; the answers are computed by definition."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from functools import partial
from typing import cast

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.constants import constant
from hotloop.judge.questions import Question, dict_mismatch, shown
from hotloop.tasks.modules.ssa_passes import flow, generation, verifier
from hotloop.tasks.modules.ssa_passes.language import Block, Instr, Malformed, Program, parse

Rng = np.random.Generator
Graph = dict[str, list[str]]

GRAPHS = 60
BROKEN = 150
FAULTY = 30


# --- dominance ------------------------------------------------------------------------------------


def graphs(generator: Rng) -> Iterator[tuple[Graph, str]]:
    """Yield random graphs and their entry, with irreducible loops, self-loops and dead ends."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number in range(GRAPHS):
        names = [f"b{n}" for n in range(2 + number // 5)]
        rng.shuffle(names)
        graph: Graph = {}
        for place, name in enumerate(names):
            followers = [rng.choice(names) for _ in range(rng.choice((0, 1, 1, 2, 2)))]
            if place + 1 < len(names) and rng.random() < 0.8:
                followers.append(names[place + 1])
            graph[name] = list(dict.fromkeys(f for f in followers if f != names[0]))
        yield graph, names[0]


def trees(rng: Rng) -> Iterator[Question]:
    """Yield questions about immediate dominators.

    The entry's is None, or a number in a take-home's variant.
    """
    root = constant("ROOT", 0, range(-999, -1)) or None
    for number, (graph, entry) in enumerate(graphs(rng), 1):
        want = {**flow.immediate(flow.dominators(graph, entry)), entry: root}
        yield _question(number, graph, entry, want)


def frontiers(rng: Rng) -> Iterator[Question]:
    """Yield questions about dominance frontiers."""
    for number, (graph, entry) in enumerate(graphs(rng), 1):
        of_blocks = flow.frontiers(graph, flow.dominators(graph, entry))
        want = {block: sorted(frontier) for block, frontier in of_blocks.items()}
        yield _question(number, graph, entry, want)


def _question(number: int, graph: Graph, entry: str, want: Mapping[str, object]) -> Question:
    def mismatch(answer: object) -> str | None:
        message = dict_mismatch("the answer", answer, want)
        return message and f"{message}; the graph, from {entry}, is {json.dumps(graph)}"[:400]

    return Question(f"Graph {number}", (json.dumps(graph), entry), mismatch)


# --- construction ---------------------------------------------------------------------------------


def in_ssa(program: Program) -> str | None:
    """Return a message if the program is not in SSA form or has copies, else None."""
    mismatch = verifier.mismatch(program)
    if mismatch is None and any(instr.op == "copy" for instr in program.instrs):
        return "a copy is left, where the name itself would do"
    return mismatch


def needed_phis(program: Program) -> set[tuple[str, str]]:
    """Return block and variable of each phi in pruned SSA form.

    These are the joins of definitions where the variable is live.
    """
    graph = program.successors()
    above = flow.dominators(graph, program.blocks[0].name)
    frontier, alive = flow.frontiers(graph, above), live(program)
    phis: set[tuple[str, str]] = set()
    for name in {name for name, _ in program.params} | {i.to for i in program.instrs if i.to}:
        places = [b.name for b in program.blocks if any(i.to == name for i in b.instrs)]
        places += [program.blocks[0].name] * (name in dict(program.params))
        while places:
            for block in frontier[places.pop()]:
                if name in alive[block] and (block, name) not in phis:
                    phis.add((block, name))
                    places.append(block)
    return phis


def count_needed_phis(program: Program) -> int:
    """Return how many phis pruned SSA form has."""
    return len(needed_phis(program))


def live(program: Program) -> dict[str, set[str]]:
    """Return the live-in names of each block. The program must have no phis."""
    live_in: dict[str, set[str]] = {block.name: set() for block in program.blocks}
    changed = True
    while changed:
        changed = False
        for block in program.blocks:
            now = {name for follower in block.successors for name in live_in[follower]}
            for instr in reversed(block.instrs):
                now = (now - {instr.to}) | set(instr.names)
            changed = changed or now != live_in[block.name]
            live_in[block.name] = now
    return live_in


# --- broken SSA -----------------------------------------------------------------------------------


def broken(generator: Rng) -> Iterator[Question]:
    """Yield questions about programs with one change, each kind in turn; one kind does nothing."""
    for number, program, faults in _changed_programs(generator):
        mismatch = partial(_faults_mismatch, program, faults)
        yield Question(f"Program {number}", (str(program),), mismatch)


def unbroken(generator: Rng) -> Iterator[Question]:
    """Yield questions about programs without a fault, and then about a few others.

    Whoever never looks finds no fault either, so something must be found in one of the others.
    """
    rng = random.Random(int(generator.integers(1 << 62)))
    for hidden in generation.programs(rng, generation.as_ssa, BROKEN // 3):
        mismatch = partial(_faults_mismatch, hidden.program, set())
        yield Question(hidden.label, (hidden.text,), mismatch)
    faulty = [program for _, program, faults in _changed_programs(generator) if faults][:FAULTY]
    found: list[bool] = []
    for program in faulty:
        ask_for_more = program is not faulty[-1]
        mismatch = partial(_silence, found, ask_for_more=ask_for_more)
        yield Question("One of several programs with faults", (str(program),), mismatch)


def _changed_programs(generator: Rng) -> Iterator[tuple[int, Program, set[verifier.Fault]]]:
    """Yield programs with one change, and their faults, which may be none."""
    rng = random.Random(int(generator.integers(1 << 62)))
    sound = [g.program for g in generation.programs(rng, generation.as_ssa, BROKEN // 3)]
    sound = [program for program in sound if len(program.blocks) > 1]
    for number in range(BROKEN):
        change = CHANGES[number % len(CHANGES)]
        program = sound[number % len(sound)]
        try:
            program = parse(str(change(rng, program)))
        except (IndexError, Malformed):
            continue  # this change does not apply to the program
        faults = verifier.faults(program)
        if not any(kind == "entry" for kind, _ in faults):
            yield number + 1, program, faults


def _silence(found: list[bool], answer: object, *, ask_for_more: bool) -> str | None:
    rules = constant("RULES", 0, range(2, 1000))  # a variant's first pair is no fault
    found.append(len(as_list(answer)) > bool(rules))
    return None if any(found) or ask_for_more else "no fault is found in any of them"


def _faults_mismatch(program: Program, want: set[verifier.Fault], answer: object) -> str | None:
    pairs = [as_list(pair) for pair in as_list(answer)]
    if not isinstance(answer, list) or any(len(pair) != 2 for pair in pairs):
        return f"the answer is {shown(cast(object, answer))}, not a list of pairs"
    # A take-home's variant requires the version of the rules as the first pair.
    rules = constant("RULES", 0, range(2, 1000))
    if rules:
        first, pairs = pairs[:1], pairs[1:]
        if first != [["rules", rules]]:
            begins = shown(first[0]) if first else "nothing"
            return f"the answer begins with {begins}, and should with {['rules', rules]}"
    got = {(shown(kind).strip("'"), shown(where).strip("'")) for kind, where in pairs}
    if got == want:
        return None
    missed, invented = sorted(want - got), sorted(got - want)
    text = " ⏎ ".join(line.strip() for line in str(program).splitlines())
    message = f"it misses {missed[0]}" if missed else f"{invented[0]} is no fault of it"
    return f"{message}; it was {text}"[:500] if len(text) < 400 else message


def _changed(program: Program, block: int, place: int, *new: Instr) -> Program:
    """Return the program with one instruction replaced by others."""
    blocks = [Block(b.name, list(b.instrs)) for b in program.blocks]
    blocks[block].instrs[place : place + 1] = new
    return program.with_blocks(blocks)


def _places(program: Program, *ops: str, but: tuple[str, ...] = ()) -> list[tuple[int, int]]:
    return [
        (b, place)
        for b, block in enumerate(program.blocks)
        for place, instr in enumerate(block.instrs)
        if (not ops or instr.op in ops) and instr.op not in but
    ]


def _nothing(_rng: random.Random, program: Program) -> Program:
    return program


def _defined_twice(rng: random.Random, program: Program) -> Program:
    b, place = rng.choice([p for p in _places(program) if _at(program, p).to])
    names = [i.to for i in program.instrs if i.to]
    names = rng.choice((names, [name for name, _ in program.params]))
    instr = _at(program, (b, place))
    return _changed(program, b, place, instr._replace(to=rng.choice(names)))


def _removed(rng: random.Random, program: Program) -> Program:
    """Remove a definition and keep its uses."""
    b, place = rng.choice([p for p in _places(program) if _at(program, p).to])
    return _changed(program, b, place)


def _moved(rng: random.Random, program: Program) -> Program:
    """Move a definition to the end of another block, or of its own."""
    b, place = rng.choice([p for p in _places(program, but=("phi",)) if _at(program, p).to])
    instr = _at(program, (b, place))
    without = _changed(program, b, place)
    to = rng.randrange(len(program.blocks))
    end = len(without.blocks[to].instrs) - 1
    return _changed(without, to, end, instr, without.blocks[to].instrs[end])


def _reads_another(rng: random.Random, program: Program) -> Program:
    """Replace an operand, perhaps of a phi, by another value or an unknown name."""
    b, place = rng.choice(_places(program, but=("jump",)))
    instr = _at(program, (b, place))
    spots = [
        n
        for n in range(len(instr.args))
        if not (instr.op == "phi" and n % 2 == 0) and not (instr.op == "branch" and n)
    ]
    args = list(instr.args)
    names = [i.to for i in program.instrs if i.to] + ["nowhere"]
    args[rng.choice(spots)] = rng.choice(names)
    return _changed(program, b, place, instr._replace(args=tuple(args)))


def _phi_labels(rng: random.Random, program: Program) -> Program:
    """Give a phi a missing, duplicate, wrong or swapped predecessor."""
    b, place = rng.choice(_places(program, "phi"))
    instr, args = _at(program, (b, place)), list(_at(program, (b, place)).args)
    draw = rng.randrange(4)
    if draw == 0:
        args = args[2:]
    elif draw == 1:
        args += args[:2]
    elif draw == 2:
        args[0] = rng.choice([block.name for block in program.blocks])
    else:
        args[0], args[2] = args[2], args[0]  # both values come from the wrong side
    return _changed(program, b, place, instr._replace(args=tuple(args)))


def _phi_late(rng: random.Random, program: Program) -> Program:
    """Move a phi after other instructions."""
    b, place = rng.choice(_places(program, "phi"))
    instr = _at(program, (b, place))
    without = _changed(program, b, place)
    end = len(without.blocks[b].instrs) - 1
    return _changed(without, b, end, instr, without.blocks[b].instrs[end])


def _typed(rng: random.Random, program: Program) -> Program:
    """Change a declared type, an operation, or an operand to a constant."""
    b, place = rng.choice([p for p in _places(program) if _at(program, p).to])
    instr = _at(program, (b, place))
    draw = rng.randrange(3)
    if draw == 0:
        other = rng.choice([k for k in ("int", "float", "bool") if k != instr.type])
        return _changed(program, b, place, instr._replace(type=other))
    if draw == 1 and instr.op != "phi" and len(instr.args) == 2:
        op = rng.choice(("and", "lt", "add", "mod"))
        return _changed(program, b, place, instr._replace(op=op))
    args = list(instr.args)
    args[-1] = rng.choice(("true", "2.5", "7"))
    return _changed(program, b, place, instr._replace(args=tuple(args)))


def _at(program: Program, place: tuple[int, int]) -> Instr:
    return program.blocks[place[0]].instrs[place[1]]


CHANGES = (
    *(_defined_twice, _removed, _moved, _reads_another, _nothing),
    *(_phi_labels, _phi_late, _typed, _moved, _reads_another, _phi_labels),
)
