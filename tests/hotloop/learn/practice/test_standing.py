"""A learner's standing is the same on the site's learning path and in `hotloop progress`."""

import json
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hotloop.core.moment import written
from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.learn.learning import next_steps, standing
from hotloop.learn.practice import data
from hotloop.learn.practice.state import PlacementAnswer, PlacementResult, PracticeRecord, Review
from hotloop.learn.practice.verdicts import VerdictLine
from hotloop.tasks import curriculum

JavaScript = Callable[[str, object], Any]
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def practiced(entries: Sequence[CatalogEntry], draw: random.Random, best: int) -> list[Review]:
    reviews = [
        Review(
            question=entry.key,
            at=NOW - timedelta(days=draw.uniform(0, 900)),
            mark=draw.randint(best - 1, best),
            seconds=9,
            language="en",
        )
        for entry in draw.sample(list(entries), 60)
        for _ in range(draw.randint(1, 3))
    ]
    return sorted(reviews, key=lambda each: each.at)


def placements(entries: Sequence[CatalogEntry], draw: random.Random) -> list[PlacementResult]:
    return [
        PlacementResult(
            at=NOW - timedelta(days=day),
            track=draw.choice(curriculum.curriculum().tracks).id,
            known=["beginner"],
            start=draw.choice([None, *(m.id for m in curriculum.modules())]),
            answers=[PlacementAnswer(question=entries[day].key, right=day % 2 == 0)],
        )
        for day in range(4, 0, -1)
    ]


def verdicts(draw: random.Random) -> list[VerdictLine]:
    lines: list[VerdictLine] = []
    for module in curriculum.modules():
        share = draw.choice([0, 0.5, 1, 1])
        for task in module.tasks:
            if draw.random() < share:
                points = draw.choice([0, 10, 10])
                verdict = "passed" if points else "wrong_answer"
                state = verdict if points else draw.choice(["wrong answer", "not started"])
                line = {
                    "at": written(NOW), "task": f"{module.id}.{task.id}", "verdict": verdict,
                    "points": points, "pending": 0, "possible": 10, "by": "command", "state": state,
                }  # fmt: skip
                lines.append(VerdictLine.model_validate_json(json.dumps(line)))
    return lines


@pytest.mark.parametrize("n", range(6))
def test_where_one_stands_is_what_the_terminal_says(javascript: JavaScript, n: int) -> None:
    draw, entries = random.Random(n), catalog()
    state = PracticeRecord()
    if n:
        reviews = practiced(entries, draw, best=4 if n == 5 else 3)
        state = PracticeRecord(reviews=reviews, placements=placements(entries, draw))
    lines = verdicts(draw) if n else []
    tasks = [
        {"key": line.task, "done": line.done, "state": line.words, "last": {"verdict": "?"}}
        for line in lines
    ]
    found = javascript(
        "const { index, state, now } = given;"
        "const tasks = hotloop.judged.parse({ tracks: [{ modules: [given] }] });"
        "const all = hotloop.standing.overview(index, state, tasks, now);"
        "return { due: all.due, steps: hotloop.nextSteps.steps(all, tasks),"
        "  record: hotloop.state.text(state),"
        "  concepts: all.concepts.map(({ title, level }) => [title, level]),"
        "  tracks: all.tracks.map((track) => ({ ...track, modules: track.modules.map("
        "    ({ module, level, done, graded, questions }) =>"
        "      [module.id, level, done, graded, questions]) })) };",
        {
            "index": data.index(curriculum.modules(), entries),
            "state": state.model_dump(mode="json"),
            "tasks": tasks,
            "now": NOW.timestamp() * 1000,
        },
    )
    expected = standing.overview(PracticeRecord.model_validate_json(found["record"]), lines, NOW)
    assert found["due"] == expected.due
    assert bool(n) == bool(expected.due)
    assert found["concepts"] == [[each.concept.title, each.level] for each in expected.concepts]
    for one, other in zip(found["tracks"], expected.tracks, strict=True):
        assert one["id"] == other.id
        assert one["begun"] == other.begun
        assert one["start"] == other.start
        assert one["questions"] == vars(other.questions)
        assert one["modules"] == [
            [m.module.id, m.level, m.done, len(m.graded), vars(m.questions)] for m in other.modules
        ]
    assert [(step["what"], step["why"]) for step in found["steps"]] == [
        (step.what, step.why) for step in next_steps.steps(expected)
    ]
