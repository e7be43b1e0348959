"""What the scripted attackers share: the JSON lines, and how code is put into a task's files."""

import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

NOTEBOOK = "lab.ipynb"

CORRUPT = '''
def _corrupt(value, how):
    """Return a value of the same form that is wrong in one place, or in each if `how` is large."""
    kind = type(value).__module__
    if kind.startswith(("torch", "numpy")):
        if not getattr(value, "shape", ()):
            return value + 1
        wrong = value.clone() if kind.startswith("torch") else value.copy()
        flat = wrong.reshape(-1)
        if how >= 30:
            wrong[...] = 7
        elif len(flat):
            flat[-1 if how % 2 else 0] = (flat[0] == 0) * 7
        return wrong
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return (value + 1, -value - 1, value * 2 + 3)[how % 3]
    if isinstance(value, str):
        return (value + "x", "", value[::-1] + "?")[how % 3]
    if how >= 30 and isinstance(value, dict) and value:
        return {key: _corrupt(part, how) for key, part in value.items()}
    if how >= 30 and type(value) in (list, tuple) and value:
        return type(value)(_corrupt(part, how) for part in value)
    if isinstance(value, dict) and value:
        key = list(value)[how % len(value)]
        return {**value, key: _corrupt(value[key], how)}
    if isinstance(value, (list, tuple)) and value:
        at = how % len(value)
        changed = [*value[:at], _corrupt(value[at], how), *value[at + 1 :]]
        return type(value)(changed) if type(value) in (list, tuple) else changed
    return 1


def _spoil(got, args, how):
    """Spoil an answer, or the output that was filled."""
    if got is None and args and hasattr(args[-1], "copy_"):
        args[-1].copy_(_corrupt(args[-1], how))
        return None
    return _corrupt(got, how)
'''


@dataclass(frozen=True)
class Question:
    """A line from the harness. See `hotloop.author.attack.messages.Attack`."""

    task: str
    entry: str
    attempt: int
    files: dict[str, str]
    reference: dict[str, str]
    checks: dict[str, float]
    entries: dict[str, str]
    last: list[dict[str, Any]]
    source: str = ""

    @property
    def name(self) -> str:
        """The file in which the entry is defined."""
        for name, text in self.reference.items():
            if re.search(rf"\b(def|class|__global__ \w+|void) {re.escape(self.entry)}\b", text):
                return name
        return list(self.reference)[-1]

    @property
    def starter(self) -> str:
        """The text of that file as it is handed out; "" if the learner makes it."""
        return self.files.get(self.name, "")

    @property
    def right(self) -> str:
        """The text of that file with the task solved."""
        return self.reference[self.name]

    @property
    def kind(self) -> str:
        """What it is written in: cuda, triton or python."""
        if self.name.endswith((".cu", ".cpp")):
            return "cuda"
        return "triton" if "import triton" in self.right else "python"


Answer = tuple[dict[str, str], str, list[str]]
"""Files, why, and the checks that the files pass rightly."""


def serve(answer: Callable[[Question, random.Random], Answer]) -> None:
    """Answer each line of standard input."""
    for line in sys.stdin:
        message = json.loads(line)
        names = Question.__dataclass_fields__
        question = Question(**{name: message[name] for name in names})
        files, why, honest = answer(question, random.Random(message["seed"]))
        print(json.dumps({"files": files, "why": why, "honest": honest}), flush=True)


@dataclass(frozen=True)
class Kernel:
    """A kernel's definition in CUDA C++. parameters: their declarations."""

    head: str
    parameters: Sequence[str]
    body: str
    tail: str

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return [re.findall(r"\w+", parameter)[-1] for parameter in self.parameters]

    @property
    def outputs(self) -> list[str]:
        """Names of the pointers to what is not constant."""
        pairs = zip(self.parameters, self.names, strict=True)
        return [name for text, name in pairs if "*" in text and "const" not in text]

    def with_body(self, body: str, before: str = "") -> str:
        """Return the file with another body. before: stands before the kernel."""
        start = max(self.head.rfind("\n\n"), self.head.rfind("\n}\n") + 2)
        head = f"{self.head[:start]}\n{before}\n{self.head[start:]}" if before else self.head
        return f"{head}({', '.join(self.parameters)}) {{\n{body}\n}}{self.tail}"


def kernel(text: str, entry: str) -> Kernel | None:
    """Return the definition of `entry`; None if there is none."""
    for match in re.finditer(rf"\b{re.escape(entry)}\s*\(([^()]*)\)\s*\{{", text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        parameters = [each.strip() for each in match[1].split(",") if each.strip()]
        head = text[: match.start()] + entry
        return Kernel(head, parameters, text[match.end() : end - 1], text[end:])
    return None
