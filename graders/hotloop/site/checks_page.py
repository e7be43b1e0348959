"""The page "How strong the checks are", from the record of tests/benchmarks/mutants.py."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hotloop.site.markdown import Lines, folded, prose, table
from hotloop.site.runs import NOT_MEASURED
from hotloop.tasks import curriculum
from hotloop.tasks.measured_code import measured_code

Row = Mapping[str, Any]
NEEDS_GPU = "Needs a GPU"
"""The reason of a mutant that only a GPU can distinguish from the reference begins so."""

HEADS = (
    "mutants",
    "need a GPU",
    "right",
    "wrong",
    "failed every time",
    "passed sometimes",
    "passed every time",
)


def page(results: Path) -> str:
    """Return the page: counts by operator, language, module and task; all mutants that passed."""
    lines = [
        "# How strong the checks are",
        "",
        prose(
            "A check is worth what it refuses. Each reference solution is changed by one small and",
            "systematic mistake: a reduction over half of a row, a block off by one, a missing",
            "rescale, a narrower type, swapped strides, a dropped guard, a comparison on the",
            "wrong side. Each such *mutant* is judged several times, with new hidden inputs each",
            "time. A mutant that is wrong by the task's text must fail every time: no wrong answer",
            "may pass by chance. A mutant that is right, because the change makes no difference to",
            "what the task asks for, must pass every time, and its reason is listed below.",
        ),
        "",
    ]
    lines += [*_right_answers(results / "right_answers.json"), "", "## Mutants", ""]
    path = results / "mutants.json"
    if not path.is_file():
        return "\n".join([*lines, NOT_MEASURED])
    document = json.loads(path.read_text(encoding="utf-8"))
    rows = cast("list[Row]", document["answers"])
    mutants = [row for row in rows if row["kind"] == "mutant"]
    lines += [
        (
            f"`python tests/benchmarks/mutants.py` measured this on {document['device']}, "
            f"{document['date']}. Checks that measure speed or need a GPU are left out."
        ),
        "",
        *_totals(rows, mutants),
    ]
    for title, name in (("operator", "operator"), ("language", "language"), ("module", "module")):
        lines += ["", f"## By {title}", "", *_grouped(mutants, name, title)]
    lines += ["", "## Mutants that are right", ""]
    reasoned = [row for row in mutants if row["why_right"]]
    for module, group in _by([row for row in reasoned if not _needs_gpu(row)], "module"):
        lines += folded("note", f"{module}: {len(group)}", _reasons(group))
    lines += ["", "## Mutants that only a GPU can show", ""]
    for module, group in _by([row for row in reasoned if _needs_gpu(row)], "module"):
        lines += folded("note", f"{module}: {len(group)}", _reasons(group))
    lines += _passed([row for row in mutants if row["passed"] and not row["why_right"]])
    lines += _not_judged(rows)
    lines += ["", "## By task", ""]
    for module, group in _by(mutants, "module"):
        lines += folded("note", module, _grouped(group, "task", "task"))
    return "\n".join(lines)


def _right_answers(path: Path) -> Lines:
    """Return the table of right answers that were refused, by module."""
    lines = ["## Right answers in other styles", ""]
    if not path.is_file():
        return [*lines, NOT_MEASURED]
    document = json.loads(path.read_text(encoding="utf-8"))
    lines += [
        (
            "Each right answer is one that another engineer would write. `python "
            f"tests/benchmarks/right_answers.py` judged them on {document['device']}, "
            f"{document['date']}. Checks that measure speed or need a GPU are left out."
        ),
        "",
    ]
    counts = [*document["modules"].items(), ("all", document["all"])]
    names = ("answers", "judged", "refused")
    rows = [
        (module, *(of[name] for name in names), "–" if of["per_1000"] is None else of["per_1000"])
        for module, of in counts
    ]
    lines += table(("module", "answers", "judgings", "refused", "refused of 1,000"), rows)
    refused = [row for row in document["answers"] if row["refused"]]
    lines += [
        f"- `{row['name']}`: refused {row['refused']} of {row['judged']}: {row['sentences'][0]}"
        for row in refused
    ]
    return lines


def wrong_mutants(rows: Iterable[Row]) -> list[Row]:
    """Return the mutants that a check should refuse."""
    mutants = [row for row in rows if row["kind"] == "mutant" and row["unbuilt"] < row["judged"]]
    return [row for row in mutants if not row["why_right"]]


def _totals(rows: Sequence[Row], mutants: Sequence[Row]) -> Lines:
    built = [row for row in mutants if row["unbuilt"] < row["judged"]]
    wrong = wrong_mutants(mutants)
    passed = sum(row["passed"] > 0 for row in wrong)
    references = [row for row in rows if row["kind"] == "reference"]
    lines = [
        (
            f"- **{len({row['operator'] for row in mutants})} operators, {len(built)} mutants** "
            f"of {len({(row['module'], row['task']) for row in mutants})} tasks, in "
            f"{sum(row['judged'] for row in built)} judgings. {len(mutants) - len(built)} more did "
            "not compile and are not counted."
        ),
        (
            f"- **{len(wrong)} are wrong; {passed} of them passed at least once.** The other "
            f"{len(built) - len(wrong)} are right, or need a GPU to be told from the reference."
        ),
    ]
    if references:
        judged = sum(row["judged"] for row in references)
        passing = sum(row["passed"] for row in references)
        lines.append(f"- The reference solutions passed {passing} of {judged} judgings.")
    return lines


def _grouped(rows: Sequence[Row], name: str, title: str) -> Lines:
    return table((title, *HEADS), [(value, *_counts(group)) for value, group in _by(rows, name)])


def _counts(rows: Sequence[Row]) -> list[int]:
    built = [row for row in rows if row["unbuilt"] < row["judged"]]
    wrong = [row for row in built if not row["why_right"]]
    unseen = sum(_needs_gpu(row) for row in built)
    return [
        len(built),
        unseen,
        len(built) - len(wrong) - unseen,
        len(wrong),
        sum(row["passed"] == 0 for row in wrong),
        sum(0 < row["passed"] < row["judged"] for row in wrong),
        sum(row["passed"] == row["judged"] for row in wrong),
    ]


def _needs_gpu(row: Row) -> bool:
    return row["why_right"].startswith(NEEDS_GPU)


def _by(rows: Iterable[Row], name: str) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[name], []).append(row)
    return sorted(groups.items())


def _reasons(rows: Sequence[Row]) -> Lines:
    lines: Lines = []
    for row in rows:
        before, after = (_code(text) for text in row["shown"])
        lines += [
            f"**{row['task']}**, {row['operator']}: {before} became {after}. {row['why_right']}",
            "",
        ]
    return lines


def _passed(rows: Sequence[Row]) -> Lines:
    """List the wrong mutants that passed at least once."""
    if not rows:
        return []
    lines = ["", "## Wrong mutants that passed", ""]
    for row in rows:
        before, after = (_code(text) for text in row["shown"])
        lines += [
            (
                f"- `{row['module']}.{row['task']}`, {row['operator']}: {before} became {after}; "
                f"passed {row['passed']} of {row['judged']}."
            )
        ]
    return lines


def _not_judged(rows: Sequence[Row]) -> Lines:
    """List the tasks without judged mutants, or judged only with an earlier version of the code."""
    judged = {(row["module"], row["task"]): row["code"] for row in rows if row["kind"] == "mutant"}
    lines: Lines = []
    for module in curriculum.modules():
        for task in module.tasks:
            if task.kind != "code" or all(check.threshold is not None for check in task.checks):
                continue
            name, code = f"`{module.id}.{task.id}`", judged.get((module.id, task.id))
            if code is None:
                lines.append(f"- {name}: {NOT_MEASURED}")
            elif code != measured_code(module.id):
                lines.append(f"- {name}: judged with an earlier version of its module")
    return ["", "## Tasks not judged in this way", "", *lines] if lines else []


def _code(text: str) -> str:
    return f"<code>{html.escape(' '.join(text.split()))}</code>"
