"""The solutions of a new module, from the answers beside the author's own problem."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hotloop.core.user_error import UserError
from hotloop.tasks.own_problem import ANSWER, AnswerBeside, answers_beside
from hotloop.tasks.problem import FILE, JudgedTask, load_problem
from hotloop.tasks.reference_files import files_below


def solutions(source: Path, module: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files in `solutions/<module>/`.

    The whole of a file that a task names is what the learner writes. Raises UserError if a file is
    missing, or if two tasks name the same one.
    """
    answers = answers_beside(source, load_problem(source))
    regions = _regions([answer.task for answer in answers if not answer.fails], module, source)
    right = source / ANSWER
    for name, path in files_below(right).items():
        if name not in regions:
            continue
        task, key = regions[name]
        text = path.read_text(encoding="utf-8")
        yield name, _region(path, key, text, _stub(path, task, key, text)).encode()
    for answer in answers:
        if answer.fails:
            yield _wrong(answer, right, {name: key for name, (_, key) in regions.items()})


def given_files(source: Path) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files beside the answer in which no learner writes."""
    answered = {name for task in load_problem(source).tasks for name in task.files}
    for name, path in files_below(source / ANSWER).items():
        if name not in answered:
            yield name, path.read_bytes()


def _regions(
    tasks: list[JudgedTask], module: str, source: Path
) -> dict[str, tuple[JudgedTask, str]]:
    """Return task and key of the region in each file that a learner writes."""
    regions: dict[str, tuple[JudgedTask, str]] = {}
    for task in tasks:
        for name in task.files:
            if name in regions:
                raise UserError(
                    f"{source / FILE}: {regions[name][0].id} and {task.id} both name {name}: in a "
                    "module each task that is made of a problem has files of its own."
                )
            key = f"{module}.{task.id}"
            part = re.sub(r"\W+", "_", Path(name).stem.lower())
            regions[name] = task, key if name == task.files[-1] else f"{key} {part}"
    return regions


def _region(path: Path, key: str, text: str, stub: list[str]) -> str:
    lead = "" if path.suffix in {".py", ".yaml", ".txt"} else "// "
    lines = [f"{lead}### BEGIN SOLUTION {key}", *(f"{lead}### STUB {line}" for line in stub)]
    return "\n".join([*lines, text.strip(), "", "", f"{lead}### END SOLUTION", ""])


def _stub(path: Path, task: JudgedTask, key: str, text: str) -> list[str]:
    """Return what a learner finds in place of the answer: its signature, where that is Python."""
    if path.suffix != ".py":
        return [f"#error {key} is not written yet"]
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == task.entry:
            signature = f"def {node.name}({ast.unparse(node.args)}):"
            return [signature, f'    raise NotImplementedError("{key}")']
    return [f'raise NotImplementedError("{key}")']


def _wrong(answer: AnswerBeside, right: Path, keys: dict[str, str]) -> tuple[str, bytes]:
    """Return the wrong answer's file: what it says of itself, and its regions that differ."""
    files = [
        name
        for name in answer.task.files
        if (answer.folder / name).read_bytes() != (right / name).read_bytes()
    ]
    if not files:
        raise UserError(f"{answer.folder} differs from {right} in no file of {answer.task.id}.")
    mistake = answer.folder.name.partition("-")[2].replace("_", " ").capitalize()
    suffix = Path(files[-1]).suffix
    begin, end = ('"""', '"""') if suffix == ".py" else ("/* ", "*/")
    head = f"{begin}{mistake}.\n\nfails: {answer.task.id}.{answer.fails}\n{end}\n\n"
    texts = {name: (answer.folder / name).read_text(encoding="utf-8") for name in files}
    regions = [_region(Path(name), keys[name], text, []) for name, text in texts.items()]
    name = re.sub(r"\W+", "_", answer.folder.name)
    return f"wrong/{name}{suffix}", (head + "\n".join(regions)).encode()
