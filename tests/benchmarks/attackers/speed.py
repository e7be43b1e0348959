"""An attacker on what is measured: time, and the memory traffic that is counted.

Its answers are right and slow, or quick because work is left out where nobody may look. Answers
that are slow make the right one's calls several times, or sleep, in some of the calls.
"""

import random
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from seam import Answer, Question, kernel, serve

MEASURED = ("fast", "traffic", "reuse", "launches", "programs", "overlap", "conflicts", "passes")
"""Beginnings of the names of checks that measure."""

WHEN = {
    "always": "True",
    "early": "n < 40",
    "late": "n > 12",
    "every second call": "n % 2",
    "two of three calls": "n % 3",
    "nine of ten calls": "n % 10",
    "after a pause": "now - last > 0.001",
    "without a pause": "now - last < 0.001",
    "half of each second": "now % 1.0 < 0.5",
    "half of each tenth": "now % 0.1 < 0.05",
    "windows of eight calls": "(n // 8) % 2",
    "windows of forty calls": "(n // 40) % 2",
    "at random": "__import__('random').random() < 0.6",
    "for new memory": "key not in seen",
    "for known memory": "key in seen",
    "large": "size > 100000",
}
SLOW = {
    "six times": """
        for _ in range(6):
            _right(*args)
        """,
    "thirty times": """
        for _ in range(30):
            _right(*args)
        """,
    "sleep of 50 ms": """
        time.sleep(0.05)
        """,
    "sleep of 1 ms": """
        time.sleep(0.001)
        """,
    "spin of 20 ms": """
        end = time.perf_counter() + 0.02
        while time.perf_counter() < end:
            pass
        """,
    "cold caches": """
        bytearray(64 << 20)[::64]
        """,
    "yield": """
        for _ in range(200):
            __import__('os').sched_yield()
        """,
}
QUICK = {
    "by a thread": """
        import threading
        threading.Thread(target=_right, args=args, daemon=True).start()
        return out
        """,
    "by a child": """
        import os
        if os.fork() == 0:
            _right(*args)
            os._exit(0)
        return out
        """,
    "nothing": """
        return out
        """,
    "cached by pointer": """
        if key in seen:
            return seen[key]
        """,
    "cached by shape": """
        if size in seen:
            return seen[size]
        """,
    "cached by corner": """
        corner = [float(a.reshape(-1)[0]) for a in args if hasattr(a, 'reshape')]
        if str(corner) in seen:
            return seen[str(corner)]
        """,
    "first half": """
        got = _right(*[a[: len(a) // 2] if hasattr(a, 'shape') else a for a in args])
        return out if got is None else got
        """,
    "last row left out": """
        got = _right(*[a[:-1] if hasattr(a, 'shape') and len(a) > 1 else a for a in args])
        return out if got is None else got
        """,
    "input as output": """
        if hasattr(out, 'copy_'):
            out.copy_(args[0].reshape(-1)[: out.numel()].reshape(out.shape))
        return out
        """,
    "half precision": """
        if hasattr(args[0], 'half'):
            got = _right(*[a.half() if a.is_floating_point() else a for a in args[:-1]], out)
            return got
        """,
    "clock at zero": """
        time.perf_counter = time.monotonic = lambda: 0.0
        """,
    "garbage": """
        import gc
        gc.disable()
        return out
        """,
}

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
    slow = rng.random() < 0.5
    when = rng.choice(list(WHEN))
    what = rng.choice(list(SLOW if slow else QUICK))
    change = _indented((SLOW if slow else QUICK)[what], 8)
    text = (
        f"{question.right}\n\nimport time\n_right = {question.entry}\n"
        f"_state = [0, 0.0]\n_seen = {{}}\n\n\ndef {question.entry}(*args):\n"
        "    n, last, now, seen = _state[0], _state[1], time.perf_counter(), _seen\n"
        "    _state[0] += 1\n"
        "    key = tuple(a.data_ptr() if hasattr(a, 'data_ptr') else id(a) for a in args)\n"
        "    size = sum(a.numel() if hasattr(a, 'numel') else 1 for a in args)\n"
        "    out = args[-1]\n"
        f"    if {WHEN[when]}:\n{change}\n"
        "    got = _right(*args)\n"
        "    seen[key] = seen[size] = got\n"
        "    _state[1] = time.perf_counter()\n"
        "    return got\n"
    )
    # Who sleeps in a few of the calls may still be quick on the whole: a reader sees by how much.
    return {question.name: text}, f"{what}, {when}", rightly if slow else []


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
