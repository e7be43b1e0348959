"""Straight-line tensor programs with in-place writes and random numbers: generated, parsed, run.

Our own interpreter, with one number for each tensor, defines what a program computes. torch is not
loaded.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from hotloop.judge.constants import constant
from hotloop.judge.questions import shown
from hotloop.tasks.modules.ssa_passes.arithmetic import is_name
from hotloop.tasks.modules.ssa_passes.cleaning import Language
from hotloop.tasks.modules.ssa_passes.language import Malformed

ARITY = {
    **dict.fromkeys(("add", "sub", "mul", "add_", "mul_"), 2),
    **dict.fromkeys(("relu", "neg", "relu_", "rand_like"), 1),
}
PURE = ("add", "sub", "mul", "relu", "neg")
METHODS = ("add_", "mul_", "relu_")
COUNT = 200
MOST_LINES = 500
TWINS_EVERY = 20
"""One of this many programs ends with two random draws that look alike."""

Step = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Steps:
    """A program. steps: name, operation and arguments of each. returned: names of the outputs."""

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    returned: tuple[str, ...]

    def __str__(self) -> str:
        lines = [" ".join((name, "=", op, *args)) for name, op, args in self.steps]
        ends = [" ".join(("inputs", *self.inputs)), *lines, " ".join(("return", *self.returned))]
        return "\n".join(ends) + "\n"

    def owners(self) -> dict[str, str]:
        """Map each name to the owner of its memory: a method returns its first argument."""
        found = {name: name for name in self.inputs}
        for name, op, args in self.steps:
            found[name] = found[args[0]] if op in METHODS else name
        return found

    def run(self, inputs: list[int]) -> list[int]:
        """Return the outputs followed by the final values of the inputs.

        One int stands for a tensor.
        """
        owner = self.owners()
        memory = dict(zip(self.inputs, inputs, strict=True))
        draws = 0
        for name, op, args in self.steps:
            values = [memory[owner[arg]] for arg in args]
            if op == "rand_like":
                draws += 1
                memory[name] = draws * 7919
            else:
                memory[owner[name]] = _computed(op.removesuffix("_"), values)
        return [memory[owner[name]] for name in self.returned] + [memory[n] for n in self.inputs]


def _computed(op: str, values: list[int]) -> int:
    """Compute in integers modulo a large prime, so that nothing is rounded."""
    if op == "relu":
        return max(values[0], 0)
    if op == "neg":
        return -values[0]
    one, other = values
    number = {"add": one + other, "sub": one - other, "mul": one * other}[op]
    return number % 1_000_003 - 500_000


def parse(text: object) -> Steps:
    """Parse a program. Raises Malformed, also if a name is read before its definition."""
    if not isinstance(text, str):
        raise Malformed(f"it gives {shown(text)}, not a text")
    lines = [line.split() for line in text.splitlines()]
    # A take-home's variant requires a last line with the number that marks the graph's output.
    mark = constant("CLEANED", 0, range(2, 1000))
    if mark and (not lines or lines.pop() != ["cleaned", str(mark)]):
        raise Malformed(f"its output is not marked as cleaned, by {mark}")
    if not 2 <= len(lines) <= MOST_LINES or not all(lines):
        raise Malformed("it does not give a program")
    first, *middle, last = lines
    if first[0] != "inputs" or last[0] != "return":
        raise Malformed("it does not begin with inputs, or does not end with return")
    known, steps = set(first[1:]), list[Step]()
    for words in middle:
        name, equals, op, *args = [*words, "", "", ""][: max(len(words), 3)]
        if equals != "=" or ARITY.get(op) != len(args) or not is_name(name) or name in known:
            raise Malformed(f"{shown(' '.join(words))} is no step, or its name is taken")
        _refuse_unknown(args, known)
        known.add(name)
        steps.append((name, op, tuple(args)))
    _refuse_unknown(last[1:], known)
    return Steps(tuple(first[1:]), tuple(steps), tuple(last[1:]))


def _refuse_unknown(names: list[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise Malformed(f"{shown(name)} is read before it is there")


def generated(rng: random.Random, count: int) -> Steps:
    """Return a random program with repetitions, writes between them, and unused results."""
    names = ["x", "y"]
    steps: list[Step] = []
    for number in range(count):
        op = rng.choice((*PURE, *PURE, *PURE, *METHODS, "rand_like"))
        again = [step for step in steps if step[1] in PURE]
        args = tuple(rng.choice(names[-5:]) for _ in range(ARITY[op]))
        if again and rng.random() < 0.35:
            _, op, args = rng.choice(again)
            if rng.random() < 0.3:
                args = args[::-1]
        if op == "rand_like":
            args = ("x",)
        steps.append((f"t{number}", op, args))
        names.append(f"t{number}")
    returned = tuple(rng.sample(names, min(3, len(names))))
    return Steps(("x", "y"), tuple(steps), returned)


def programs(rng: random.Random) -> list[Steps]:
    """Return the hidden programs, the small ones first."""
    found = [generated(rng, 2 + number // 10) for number in range(COUNT)]
    # Random programs almost never contain twins whose difference shows.
    found[::TWINS_EVERY] = map(with_twin_draws, found[::TWINS_EVERY])
    return found


def with_twin_draws(program: Steps) -> Steps:
    """Append two draws for the same argument, and return both as the first outputs."""
    twins = [f"t{len(program.steps) + more}" for more in (0, 1)]
    steps = tuple((name, "rand_like", ("x",)) for name in twins)
    returned = (*twins, *program.returned)[: len(program.returned)]
    return replace(program, steps=program.steps + steps, returned=returned)


def unfinished(program: Steps) -> str | None:
    """Return a message about something left to merge or remove, or None."""
    owner = program.owners()
    written = {owner[name] for name, op, _ in program.steps if op in METHODS}
    read = {arg for _, _, args in program.steps for arg in args} | set(program.returned)
    version = dict.fromkeys(owner.values(), 0)
    seen: dict[tuple[object, ...], str] = {}
    for name, op, args in program.steps:
        if op in METHODS:
            version[owner[name]] += 1
        if op not in PURE:
            continue
        if name not in read:
            return f"{name} is still computed, and nobody reads it"
        if name in written:
            continue
        parts = [(owner[arg], version[owner[arg]]) for arg in args]
        key = (op, *(sorted(parts) if op in ("add", "mul") else parts))
        if key in seen:
            return f"{name} is computed again: {seen[key]} is that, and neither is written to"
        seen[key] = name
    return None


def same_ends(given: Steps, result: Steps) -> str | None:
    """Return a message if the inputs or the numbers of outputs differ, else None."""
    if result.inputs != given.inputs or len(result.returned) != len(given.returned):
        return "it takes or returns something else"
    return None


def different(given: Steps, result: Steps, rng: random.Random) -> str | None:
    """Return a message if outputs or final inputs differ on one of four inputs, else None."""
    for _ in range(4):
        inputs = [rng.randint(-50, 50) for _ in given.inputs]
        if result.run(inputs) != given.run(inputs):
            return f"with {inputs} it gives {result.run(inputs)}, not {given.run(inputs)}"
    return None


LANGUAGE = Language(programs, str, lambda _session: parse, same_ends)
"""torch.fx graphs as text."""
