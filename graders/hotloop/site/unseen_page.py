"""The tables of the page "What the judge cannot see", made from recorded results."""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Any

from hotloop.site.checks_page import wrong_mutants
from hotloop.site.markdown import Lines, folded, table
from hotloop.site.runs import NOT_MEASURED

RATES_PLACE = "<!-- miss-rates -->"
ALARMS_PLACE = "<!-- false-alarm-rates -->"
SUITES_PLACE = "<!-- suites -->"
REASONS_PLACE = "<!-- reasons -->"

CONFIDENCE = 0.95

TRUE = "true:"
"""So begins the reason of a report on a program that is labeled right and is wrong."""

Document = Mapping[str, Any]


def rates(results: Path) -> str:
    """Return a table: wrong answers by kind of check, and how many were missed."""
    return _rates(_missed(results), ("wrong ones tried", "missed", "miss rate"))


def alarms(results: Path) -> str:
    """Return a table: right answers by kind of check, and how many were refused or reported."""
    return _rates(_refused(results), ("right ones tried", "refused", "rate"))


def _rates(counted: Iterator[tuple[str, int, int]], heads: Sequence[str]) -> str:
    rows = [
        (
            what,
            tried,
            missed,
            f"{100 * missed / tried:.2g} %",
            f"{100 * bound(missed, tried):.2g} %",
        )
        for what, tried, missed in counted
    ]
    if not rows:
        return NOT_MEASURED
    return "\n".join(table(("check", *heads, "at most (95 %)"), rows))


def bound(missed: int, tried: int) -> float:
    """Return the largest miss rate at which so few misses have a probability of 5 % or more.

    Source: Clopper and Pearson, "The Use of Confidence or Fiducial Limits" (1934), one-sided.
    """
    low, high = missed / tried, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        few = sum(
            comb(tried, k) * middle**k * (1 - middle) ** (tried - k) for k in range(missed + 1)
        )
        low, high = (middle, high) if few > 1 - CONFIDENCE else (low, middle)
    return high


def _missed(results: Path) -> Iterator[tuple[str, int, int]]:
    """Yield kinds of checks, with the wrong ones that were tried and those that were missed."""
    if mutants := _read(results, "mutants"):
        wrong = wrong_mutants(mutants["answers"])
        missed = sum(row["passed"] > 0 for row in wrong)
        yield "hidden cases of the tasks: mutants of references (`mutants`)", len(wrong), missed
    if judged := _read(results, "judge_mutants"):
        of = judged["summary"].values()
        wrong, caught = sum(each["wrong"] for each in of), sum(each["caught"] for each in of)
        name = "`hotloop judge`: wrong answers to 14 problems in 3 dtypes (`judge_mutants`)"
        yield name, wrong, wrong - caught
    if races := _read(results, "triton_races"):
        of = races["labeled"]
        name = "races of Triton kernels, our own, in one order of the programs (`triton_races`)"
        yield name, of["racy_runs"], of["racy_runs"] - of["racy_runs_reported"]
        name = f"the same in {of['orders']} orders"
        yield name, of["racy"], len(of["racy_never_reported"])
    if races := _read(results, "random_races"):
        name = "races of CUDA kernels that are written at random (`random_races`)"
        yield name, races["racy"], races["missed"] + races["elsewhere"]
    if pipelines := _read(results, "hopper_pipelines"):
        of = pipelines["totals"]
        name = (
            "pipelines of mbarriers, bulk copies and wgmma, our own; the checker was fixed for "
            "those that it missed at first (`hopper_pipelines`)"
        )
        yield name, of["broken"], of["broken"] - of["told"]
    for suite in _suites(results):
        if suite["faulty_run"]:
            name = f"{suite['suite']}: faults that others have labeled (`labeled_suites`)"
            yield name, suite["faulty_run"], suite["missed"]


def _refused(results: Path) -> Iterator[tuple[str, int, int]]:
    """Yield kinds of checks, with the right ones that were tried and those that were refused."""
    if right := _read(results, "right_answers"):
        of = right["all"]
        name = "hidden cases of the tasks: answers in other styles (`right_answers`)"
        yield name, of["judged"], of["refused"]
    if judged := _read(results, "judge_mutants"):
        of = judged["summary"].values()
        name = "`hotloop judge`: right answers to 14 problems in 3 dtypes (`judge_mutants`)"
        yield name, sum(each["right"] for each in of), sum(each["refused"] for each in of)
    if races := _read(results, "triton_races"):
        of = races["labeled"]
        name = "races of Triton kernels: our own right ones (`triton_races`)"
        yield name, of["right"], len(of["right_reported"])
    if races := _read(results, "random_races"):
        name = "races of CUDA kernels: right ones that are written at random (`random_races`)"
        yield name, races["right"], races["reported"]
    if pipelines := _read(results, "hopper_pipelines"):
        of = pipelines["totals"]
        name = "right pipelines, each in 20 orders of threads and copies (`hopper_pipelines`)"
        yield name, of["programs"], of["refused"]
    for suite in _suites(results):
        if suite["right_run"]:
            reasons = suite["reported_by_reason"].items()
            false = sum(count for why, count in reasons if not why.startswith(TRUE))
            yield f"{suite['suite']} (`labeled_suites`)", suite["right_run"], false


def suites(results: Path) -> str:
    """Return a table: what was found in each suite of labeled programs."""
    heads = (
        "suite", "cases", "faulty, run", "found", "missed", "right, run", "something reported",
        "not run",
    )  # fmt: skip
    rows = [
        (
            suite["suite"], suite["cases"], suite["faulty_run"], suite["found"], suite["missed"],
            suite["right_run"], suite["reported"], suite["not_run"],
        )
        for suite in [*_suites(results), *_programs(results)]
    ]  # fmt: skip
    if not rows:
        return NOT_MEASURED
    measured = [
        f"`{name}`: {document['device']}, {document['date']}."
        for name in ("labeled_suites", "real_cuda")
        if (document := _read(results, name))
    ]
    return "\n".join([*table(heads, rows), "", *measured])


def reasons(results: Path) -> str:
    """Return, by suite, why cases were missed, reported or not run."""
    lines: Lines = []
    for suite in _suites(results):
        rows = [
            (what, reason, count)
            for what, key in (
                ("missed", "missed_by_reason"),
                ("reported", "reported_by_reason"),
                ("not run", "not_run_by_reason"),
            )
            for reason, count in suite[key].items()
        ]
        if rows:
            lines += [f"### {suite['suite']}", "", *table(("", "reason", "cases"), rows), ""]
        named = [f"- `{row['case']}`: {row['came']}" for row in suite["rows"] if _is_named(row)]
        if named:
            lines += folded("note", f"The {len(named)} cases by name", named)
    return "\n".join(lines)


def _is_named(row: Document) -> bool:
    return row["came"] in {"missed", "reported"}


def _suites(results: Path) -> list[Document]:
    return list(_read(results, "labeled_suites").get("suites", {}).values())


def _programs(results: Path) -> Iterator[Document]:
    """Yield whole programs without labels: of those that ran under check, which were reported."""
    for name, collection in _read(results, "real_cuda").get("collections", {}).items():
        rows = collection["programs"]
        ran = [row for row in rows if row["came"] == "right and clean" or row["findings"]]
        tried = [row for row in rows if row["came"] != "other libraries"]
        yield {
            "suite": name,
            "cases": len(tried),
            "faulty_run": 0,
            "found": 0,
            "missed": 0,
            "right_run": len(ran),
            "reported": sum(bool(row["findings"]) for row in ran),
            "not_run": len(tried) - len(ran),
        }


def _read(results: Path, name: str) -> Document:
    """Return a recorded result, empty if there is none."""
    path = results / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
