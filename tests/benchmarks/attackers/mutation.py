"""An attacker that puts mutants of the known exploits into other tasks.

The payload of a file of tests/exploits stands before or after the right answer or a wrong one,
under another name, with statements left out or constants changed; the task's function asks it
first.
"""

import ast
import importlib.util
import random
import re
import sys
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from seam import CORRUPT, NOTEBOOK, Answer, Question, kernel, serve

EXPLOITS = Path(__file__).resolve().parents[2] / "exploits"
FAMILIES = ("checker", "cuda", "forge", "numeric", "phase", "protocol", "reference", "replay")
FAMILIES += ("training", "triton", "accelerator", "compilers", "traces")
SLOW = re.compile(r"endless|bomb|without_end|for_ever|hang|flood|byte_at_a_time|huge|stop|probe")
"""In names of those that only use up time."""


@cache
def known() -> dict[str, list[tuple[str, str, str]]]:
    """Return by kind of file: name of the exploit, its text, and the function under attack."""
    spec = importlib.util.spec_from_file_location("edits", EXPLOITS / "edits.py")
    assert spec is not None
    assert spec.loader is not None
    edits = importlib.util.module_from_spec(spec)
    sys.modules["edits"] = edits
    spec.loader.exec_module(edits)
    found: dict[str, list[tuple[str, str, str]]] = {".py": [], ".cu": []}
    for path in edits.exploit_paths():
        if path.parent.name not in FAMILIES or SLOW.search(path.stem):
            continue
        exploit: Any = edits.load(path)
        if exploit.through != "judge" or exploit.harmless or exploit.marks:
            continue
        files = {**(exploit.files or {}), **({NOTEBOOK: exploit.answer} if exploit.answer else {})}
        for name, text in files.items():
            suffix = ".py" if name == NOTEBOOK else Path(name).suffix
            entry = _last_function(suffix, text) if suffix in found else ""
            if entry:
                found[suffix].append((exploit.name, text, entry))
    return found


def _last_function(suffix: str, text: str) -> str:
    """Return the function that the file defines last; "" if it defines none or is no Python."""
    if suffix == ".cu":
        names = re.findall(r"__global__\s+[\w\s()]*?(\w+)\s*\(", text)
    else:
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError):
            return ""
        names = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    return names[-1] if names else ""


class _Mutant(ast.NodeTransformer):
    """Changes one constant or leaves one statement out, by number."""

    def __init__(self, at: int, rng: random.Random) -> None:
        self.at, self.rng, self.seen = at, rng, 0

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        self.seen += 1
        if self.seen == self.at and type(node.value) in (int, float):
            return ast.copy_location(ast.Constant(self.rng.choice((0, 1, -1, 2, 1 << 20))), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.seen += 1
        if self.seen == self.at:
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def _mutated(text: str, rng: random.Random) -> str:
    tree = ast.parse(text)
    count = sum(isinstance(node, ast.Constant | ast.Expr) for node in ast.walk(tree))
    for _ in range(rng.randrange(3)):
        tree = ast.fix_missing_locations(_Mutant(rng.randrange(1, count + 2), rng).visit(tree))
    body = tree.body
    if rng.random() < 0.3:
        at = rng.randrange(len(body))
        body.insert(0, body.pop(at))
    return ast.unparse(tree)


def _wrapped(text: str, rng: random.Random, guarded: bool) -> tuple[str, str]:
    """Return the payload as it is run: as it stands, by exec, in a class or in a thread.

    guarded: an exception in it, such as for want of the other task's files, does not end the file.
    """
    way = "guard" if guarded else rng.choice(("plain", "exec", "class", "thread"))
    if way == "guard":
        return f"try:\n{textwrap.indent(text, '    ')}\nexcept BaseException:\n    pass", way
    if way == "exec":
        return f"exec(compile({text!r}, 'numpy/core.py', 'exec'), globals())", way
    if way == "class":
        names = "globals().update({k: v for k, v in vars().items() if not k.startswith('__')})"
        return f"class _Payload:\n{textwrap.indent(text, '    ')}\n    {names}", way
    if way == "thread":
        run = f"exec({text!r}, globals())"
        return (
            "import threading\n"
            f"_thread = threading.Thread(target=lambda: {run})\n_thread.start()\n_thread.join(5)"
        ), way
    return text, way


def main(question: Question, rng: random.Random) -> Answer:
    """Return a mutant of an exploit in the task's file."""
    if question.kind == "cuda":
        return _cuda(question, rng)
    name, text, entry = rng.choice(known()[".py"])
    # A notebook's cell that raises leaves the right answer standing, which it has defined before.
    guarded = question.name == NOTEBOOK or rng.random() < 0.4
    payload, way = _wrapped(_mutated(text, rng).replace(entry, f"attack_{entry}"), rng, guarded)
    how = rng.randrange(60)
    with_right = rng.random() < 0.6
    base = f"{question.right}\n{CORRUPT}" if with_right else _header(question)
    before = rng.random() < 0.5
    parts = [payload, base] if before and not base.startswith("###") else [base, payload]
    entries = dict.fromkeys(question.entries.values())
    parts += [_function(each, f"attack_{entry}", how, with_right) for each in entries]
    place = "before" if before else "after"
    why = f"{name} by {way}, {place} {'a right answer that is spoilt' if with_right else 'nothing'}"
    return {question.name: "\n\n".join(parts) + "\n"}, why, []


def _header(question: Question) -> str:
    return f"### TASK {question.task}" if question.name == NOTEBOOK else '"""An answer."""'


def _function(entry: str, attack: str, how: int, with_right: bool) -> str:
    """A definition of the entry that asks the payload first and then returns something wrong."""
    wrong = "0"
    if with_right:
        wrong = f"_spoil(_right_{entry}(*args, **more), args, {how})"
    return (
        (f"_right_{entry} = {entry}\n" if with_right else "")
        + f"def {entry}(*args, **more):\n"
        + "    try:\n"
        + f"        got = {attack}(*args[:{attack}.__code__.co_argcount])\n"
        + "    except BaseException:\n"
        + "        got = None\n"
        + f"    return {wrong} if got is None else got"
    )


def _cuda(question: Question, rng: random.Random) -> Answer:
    """The exploit's kernel, with its helpers, in place of the task's."""
    right = kernel(question.right, question.entry)
    name, text, entry = rng.choice(known()[".cu"])
    payload = kernel(text, entry)
    if right is None or payload is None:
        return {question.name: text.replace(entry, question.entry)}, f"the file of {name}", []
    body = payload.body
    for old, new in zip(payload.names, right.names, strict=False):
        body = re.sub(rf"\b{re.escape(old)}\b", new, body)
    start = max(payload.head.rfind("\n\n"), payload.head.rfind("\n}\n") + 2)
    helpers = "\n".join(line for line in payload.head[:start].splitlines() if rng.random() < 0.97)
    place = rng.choice(("instead", "before", "after"))
    if place == "before":
        body = f"{{\n{body}\n}}\nif (blockIdx.x == 0) return;\n{right.body}"
    elif place == "after":
        body = f"if (threadIdx.x != 0) {{\n{right.body}\n}}\n{body}"
    return {question.name: right.with_body(body, helpers)}, f"{name}, {place} of the kernel", []


if __name__ == "__main__":
    serve(main)
