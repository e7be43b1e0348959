"""An attacker on what is measured: time, and the memory traffic that is counted.

A function that is timed follows an idea of `timed_ideas`: right and slow beside something that is
to make it look quick, or quick because work is left out, late or remembered. A kernel whose traffic
is counted moves more than it should.
"""

import random
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import timed_ideas
from seam import Answer, Question, kernel, serve

MEASURED = ("fast", "traffic", "reuse", "launches", "programs", "overlap", "conflicts", "passes")
"""Beginnings of the names of checks that measure."""

WASTE = {
    "the kernel twice": """
        for _ in range(2):
            _right(*args)
        """,
    "the kernel five times": """
        for _ in range(5):
            _right(*args)
        """,
    "into other memory first": """
        other = args[-1].clone()
        _right(*args[:-1], other)
        _right(*args)
        """,
    "copies of the inputs": """
        args = [a.clone() if hasattr(a, 'clone') else a for a in args[:-1]] + [args[-1]]
        _right(*args)
        """,
    "launch in a thread": """
        import threading
        other = threading.Thread(target=_right, args=args)
        other.start()
        other.join()
        _right(*args)
        """,
    "many small launches": """
        for row in range(args[-1].shape[0]):
            pass
        _right(*args)
        _right(*args)
        _right(*args)
        """,
}
APART = 14
"""So many ideas lie between those that two timed tasks begin with."""

LOADS = {
    "plain": "float waste = 0; for (int i = 0; i < 4096; i++) waste += (float){first}[i % 64];"
    " if (waste == 1.2345e30f) {out}[0] = 0;",
    "volatile": "for (int i = 0; i < 4096; i++) "
    "(void)*(volatile const char*)((const char*){first} + (i % 64));",
    "memcpy": "char copy[256]; for (int i = 0; i < 64; i++) {{ "
    "__builtin_memcpy(copy, {first}, 256); if (copy[i] == 77 && copy[0] == 78) {out}[0] = 0; }}",
    "stores": "for (int i = 0; i < 64; i++) *(volatile char*)((char*){out} + i) = 0;",
    "non_temporal": "for (int i = 0; i < 64; i++) __builtin_nontemporal_store(0, (int*){out} + i);",
    "atomics": "for (int i = 0; i < 64; i++) atomicAdd((int*){out}, 0);",
    "wide": "struct Wide {{ double a[16]; }}; for (int i = 0; i < 64; i++) {{ volatile Wide w ="
    " *(Wide*){first}; (void)w.a[i % 16]; }}",
    "prefetch": "for (int i = 0; i < 64; i++) __builtin_prefetch((const char*){first} + 64 * i);",
    "ldg": "float waste = 0; for (int i = 0; i < 256; i++) waste += (float)__ldg(&{first}[i % 64]);"
    " if (waste == 1.2345e30f) {out}[0] = 0;",
    "spin": "for (volatile int i = 0; i < 20000; i++);",
    "barriers": "for (int i = 0; i < 64; i++) __syncthreads();",
}


def main(question: Question, rng: random.Random) -> Answer:
    """Return an answer that is slow, wasteful, or quick by leaving work out."""
    rightly = [name for name in question.checks if not name.startswith(MEASURED)]
    if question.kind == "cuda":
        return _cuda(question, rng, rightly)
    if question.kind == "triton":  # its bytes are counted, not its time
        name = rng.choice(list(WASTE))
        text = f"{question.right}\n\n_right = {question.entry}\n\n\n"
        text += f"def {question.entry}(*args):\n{_indented(WASTE[name], 4)}\n"
        return {question.name: text}, f"waste: {name}", rightly
    return _timed(question, rng, rightly)


def _timed(question: Question, rng: random.Random, rightly: list[str]) -> Answer:
    """The function of a task, by an idea of `timed_ideas`; each comes before any comes again."""
    names = list(timed_ideas.IDEAS)
    tasks = list(timed_ideas.TASKS)
    first = tasks.index(question.task) * APART if question.task in tasks else rng.randrange(99)
    name = names[(first + question.attempt) % len(names)]
    when = rng.choice(list(timed_ideas.WHEN))
    right = timed_ideas.RIGHT.get(question.task, "")
    if not right:
        times = timed_ideas.TIMES.get(question.task, 6)
        right = f"def right(*args):\n    for _ in range({times}):\n        quick(*args)"
    code = timed_ideas.HELPERS.replace("WHEN", timed_ideas.WHEN[when])
    idea = textwrap.dedent(timed_ideas.IDEAS[name]).replace("LAG", str(rng.choice((1, 2, 4, 8))))
    parts = [question.right, f"quick = {question.entry}", textwrap.dedent(right), code, idea]
    parts.append(f"{question.entry} = timed_call")
    # Whatever waits for timed calls is right before them.
    is_right = name in timed_ideas.SLOW or "timed(" in idea
    return (
        {question.name: "\n\n".join(part.strip("\n") for part in parts) + "\n"},
        f"{name}, {when}" if "when(" in idea else name,
        rightly if is_right else [],
    )


def _indented(code: str, columns: int) -> str:
    return textwrap.indent(textwrap.dedent(code).strip("\n"), " " * columns)


def _cuda(question: Question, rng: random.Random, rightly: list[str]) -> Answer:
    right = kernel(question.right, question.entry)
    if right is None:
        return {question.name: question.starter + "\n"}, "no kernel was found in the reference", []
    name = rng.choice(list(LOADS))
    load = LOADS[name].format(first=right.names[0], out=(right.outputs or right.names)[-1])
    where = rng.choice(("before", "after", "in a block"))
    if where == "before":
        body = f"    {{ {load} }}\n{right.body}"
    elif where == "after":
        body = f"{right.body}\n    {{ {load} }}"
    else:
        body = f"    if (blockIdx.x % 2 == 0) {{ {load} }}\n{right.body}"
    honest = rightly if name in ("plain", "volatile", "memcpy", "wide", "prefetch", "ldg") else []
    if name in ("prefetch", "spin", "barriers"):
        honest = list(question.checks)  # none of these moves a byte
    if name in ("stores", "non_temporal", "atomics") and where != "after":
        honest = [each for each in question.checks if each not in ("clean", "traffic")]
    return {question.name: right.with_body(body)}, f"loads: {name}, {where}", honest


if __name__ == "__main__":
    serve(main)
