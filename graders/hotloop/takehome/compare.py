"""Compares candidates for one role: who is above whom, as far as that is certain.

Two candidates with overlapping intervals are not ranked, neither by place nor by the order of the
list, which is by pseudonym. So one step of one reader's marks ranks nobody; a ranking that rests on
marks alone is reported.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.intervals import Interval, said
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.learn.pack.manifest import Pseudonym, RoleId
from hotloop.learn.predicting.scores import ScoredPredictions, VivaScore
from hotloop.takehome.report import CONFINED, TakehomeReport, TaskReport
from hotloop.takehome.score import BEST_MARK, share, weighted
from hotloop.takehome.scorecard import Scorecard, written_marks

Key = tuple[str, str]
"""Task and check."""


VIVA_COLUMNS = ("reasoning", "on the reference", "on their own code")
VIVA_NOTE = "Marks for reasons, right answers, Brier scores, of which 0 is best. They rank nobody."


class CompareError(UserError):
    """These reports cannot be compared. The text is one sentence."""


class Compared(Strict):
    """One candidate. is_above, is_below: candidates certainly below or above this one.

    best_place, worst_place: range of possible places. tasks: share of the points of each task, 0 to
    1, as they count in the score; None where nothing counts. viva: separate from the score; it
    ranks nobody.
    """

    pseudonym: Pseudonym
    score: Interval
    is_above: list[Pseudonym]
    is_below: list[Pseudonym]
    best_place: int
    worst_place: int
    tasks: dict[Identifier, Interval | None]
    viva: VivaScore | None = None


class ComparedTask(Strict):
    """A task of the role, and its weight."""

    task: Identifier
    title: Text
    weight: float


class CandidatePair(Strict):
    """Two candidates. higher: None if their intervals overlap and they are not ranked."""

    first: Pseudonym
    second: Pseudonym
    higher: Pseudonym | None


class CandidateComparison(Strict):
    """Result of a comparison. basis: what the scores include.

    left_out: checks (task.check) that no machine has measured for any candidate. cautions: why
    scores may not be comparable.
    """

    role: RoleId
    basis: Literal["everything", "measured"]
    left_out: list[str]
    cautions: list[str]
    tasks: list[ComparedTask]
    candidates: list[Compared]
    pairs: list[CandidatePair]


def compare(
    reports: Sequence[TakehomeReport],
    scorecards: Mapping[str, Scorecard] | None = None,
    vivas: Mapping[str, VivaScore] | None = None,
    *,
    measured_only: bool = False,
) -> CandidateComparison:
    """Compare candidates by total score, with the marks of filed scorecards.

    scorecards, vivas: by pseudonym. measured_only: leave out what was measured for no candidate.
    Raises CompareError for reports of different roles, or two on the same pack.
    """
    _require_comparable(reports)
    left_out = frozenset[Key]()
    if measured_only:
        first, *others = map(_unmeasured, reports)
        left_out = first.intersection(*others)
    cards = scorecards or {}
    in_order = sorted(reports, key=lambda report: report.pseudonym)
    scores = {r.pseudonym: score(r, cards.get(r.pseudonym), left_out) for r in in_order}
    unmarked = {r.pseudonym: score(r, None, left_out) for r in in_order}
    pairs = _pairs(scores)
    return CandidateComparison(
        role=reports[0].role,
        basis="measured" if measured_only else "everything",
        left_out=sorted(".".join(key) for key in left_out),
        cautions=[*_cautions(reports, cards), *_by_marks(pairs, _pairs(unmarked))],
        tasks=[
            ComparedTask(task=task.task, title=task.title, weight=task.weight)
            for task in in_order[0].tasks
        ],
        candidates=[
            _compared(
                report.pseudonym,
                scores,
                _shares(report, cards.get(report.pseudonym), left_out),
                (vivas or {}).get(report.pseudonym),
            )
            for report in in_order
        ],
        pairs=pairs,
    )


def score(
    report: TakehomeReport, card: Scorecard | None, left_out: frozenset[Key] = frozenset()
) -> Interval:
    """Return the score out of 100: the report's with marks for written tasks, minus `left_out`."""
    shares = _shares(report, card, left_out)
    return weighted((shares[task.task], task.weight) for task in report.tasks)


def share_words(share: Interval | None) -> str:
    """Return a task's share as percent: `50 to 75 %`."""
    return "does not count" if share is None else f"{said(share.scaled(100))} %"


def _shares(
    report: TakehomeReport, card: Scorecard | None, left_out: frozenset[Key]
) -> dict[str, Interval | None]:
    marks = written_marks(card, report)
    return {task.task: _share(task, marks.get(task.task), left_out) for task in report.tasks}


def viva_words(viva: VivaScore) -> tuple[str, str, str]:
    """Describe the reasoning, and the results on the reference and on the candidate's code."""
    marks = [one.reasoning for one in (viva.fixed, viva.own) if one is not None]
    reasoning = ", ".join(f"{mark:.1f}" for mark in marks if mark is not None)
    return reasoning or "not marked", _brier(viva.fixed), _brier(viva.own)


def _brier(score: ScoredPredictions | None) -> str:
    if score is None:
        return "not asked"
    low, high = score.interval.low, score.interval.high
    right = f"{score.right} of {score.items} (a guess {score.guess_rate:.0%})"
    return f"{right}; {score.brier:.2f}, {low:.2f} to {high:.2f} (a guess {score.guess:.2f})"


def _share(task: TaskReport, mark: Interval | None, left_out: frozenset[Key]) -> Interval | None:
    if task.kind == "written" and mark is not None and task.answer is not None:
        # Readers may differ by half a step.
        low, high = max(0.0, mark.low - 0.5), min(float(BEST_MARK), mark.high + 0.5)
        return Interval(low=low, high=high).scaled(1 / BEST_MARK)
    return share(check for check in task.checks if (task.task, check.check) not in left_out)


def _require_comparable(reports: Sequence[TakehomeReport]) -> None:
    if len(reports) < 2:
        raise CompareError("It takes two reports to compare.")
    roles = sorted({report.role for report in reports})
    if len(roles) > 1:
        raise CompareError(f"These reports are about different roles: {', '.join(roles)}.")
    counts = Counter(report.pseudonym for report in reports)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise CompareError(f"There are two reports on {twice[0]}: give one of them.")
    tasks = {tuple((task.task, task.weight) for task in report.tasks) for report in reports}
    if len(tasks) > 1:
        raise CompareError(
            "The role was changed in between: its tasks or weights are not the same in all reports."
        )


def _unmeasured(report: TakehomeReport) -> frozenset[Key]:
    """Return the checks that the judge has not measured; written tasks never count."""
    return frozenset(
        (task.task, check.check)
        for task in report.tasks
        if task.kind == "code"
        for check in task.checks
        if check.verdict is Verdict.NOT_MEASURED
    )


def _compared(
    name: str,
    scores: Mapping[str, Interval],
    tasks: dict[str, Interval | None],
    viva: VivaScore | None,
) -> Compared:
    own = scores[name]
    apart = {other: score for other, score in scores.items() if not score.overlaps(own)}
    is_below = [other for other, score in apart.items() if score.low > own.high]
    is_above = [other for other, score in apart.items() if score.high < own.low]
    return Compared(
        pseudonym=name,
        score=own,
        is_above=is_above,
        is_below=is_below,
        best_place=1 + len(is_below),
        worst_place=len(scores) - len(is_above),
        tasks=tasks,
        viva=viva,
    )


def _pairs(scores: Mapping[str, Interval]) -> list[CandidatePair]:
    pairs: list[CandidatePair] = []
    for first, second in combinations(scores, 2):
        higher = None
        if not scores[first].overlaps(scores[second]):
            higher = max(first, second, key=lambda name: scores[name].low)
        pairs.append(CandidatePair(first=first, second=second, higher=higher))
    return pairs


def _by_marks(pairs: Sequence[CandidatePair], unmarked: Sequence[CandidatePair]) -> list[str]:
    """Return a caution that names pairs ranked only by people's marks."""
    by_marks = [
        f"{pair.first} and {pair.second}"
        for pair, without in zip(pairs, unmarked, strict=True)
        if pair.higher is not None and without.higher is None
    ]
    if not by_marks:
        return []
    return [
        f"Ranked by people's marks alone: {', '.join(by_marks)}. Have a second person read them."
    ]


def _cautions(reports: Sequence[TakehomeReport], cards: Mapping[str, Scorecard]) -> list[str]:
    cautions: list[str] = []
    if any(report.environment.isolation != CONFINED for report in reports if report.records()):
        cautions.append("At least one was not judged in the sandbox: its verdicts are no evidence.")
    for report in reports:
        card = cards.get(report.pseudonym)
        if card is not None and card.submission != report.submission.digest:
            cautions.append(
                f"The scorecard of {report.pseudonym} is about an earlier hand-in: its marks do "
                "not count."
            )
    if len({report.reproduce.grader_digest for report in reports}) > 1:
        cautions.append("They were judged by different versions of the grader: grade all anew.")
    if len({report.environment.device for report in reports}) > 1:
        cautions.append(
            "They were judged on different devices: speeds there are not the same scale."
        )
    if with_strong := [
        report.pseudonym
        for report in reports
        if any(signal.strength == "strong" for signal in report.signals)
    ]:
        names = ", ".join(sorted(with_strong))
        cautions.append(f"Strong integrity signals, to read first: {names}.")
    return cautions
