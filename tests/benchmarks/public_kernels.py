"""How many kernels of public projects are what a checked kernel may be, and what keeps others out?

    python tests/benchmarks/public_kernels.py FOLDER … [--reasons N]

Each FOLDER is a clone (Liger-Kernel, FlagGems, flash-linear-attention, Triton's tutorials). Every
top-level function with @triton.jit in it is vetted as if a learner had launched it; functions that
it calls are vetted with it. Nothing is run. Prints a row for each folder and the N most frequent
reasons, with an example.
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hotloop.core.verdict import Ruling
from hotloop.judge.kernel_source import vet


def kernels(tree: ast.Module) -> Iterator[str]:
    """Yield the names of top-level functions with a decorator that ends in `jit`, once each."""
    names: dict[str, None] = {}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and any(
            re.search(r"\bjit\b", ast.unparse(d).partition("(")[0])
            for d in statement.decorator_list
        ):
            names[statement.name] = None
    yield from names


def refusals(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield `file::kernel` and the sentence of its refusal, empty for one that is vetted."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(errors="replace")
        if "triton" not in text:
            continue
        for name in kernels(ast.parse(text)):
            try:
                vet(text, [name], path.name)
            except Ruling as ruling:
                yield f"{path.relative_to(folder)}::{name}", ruling.sentence
            else:
                yield f"{path.relative_to(folder)}::{name}", ""


def kind(sentence: str) -> str:
    """Return a sentence without its place and the names in it, to count it."""
    without_place = sentence.partition(": ")[2]
    return without_place.replace(
        " The page “Checked Triton kernels” lists what a kernel may use.", ""
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--reasons", type=int, default=10)
    arguments = parser.parse_args()
    reasons: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for folder in arguments.folders:
        sentences = dict(refusals(folder))
        right = sum(not sentence for sentence in sentences.values())
        share = 100 * right / max(1, len(sentences))
        print(f"{folder.name}: {right} of {len(sentences)} kernels ({share:.1f}%)")
        for place, sentence in sentences.items():
            if sentence:
                reasons[kind(sentence)] += 1
                examples.setdefault(kind(sentence), place)
    for reason, count in reasons.most_common(arguments.reasons):
        print(f"{count:5}  {reason}  [{examples[reason]}]")


if __name__ == "__main__":
    main()
