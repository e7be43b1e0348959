"""Which changes become questions. A fake judge with known answers is used."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle
from threading import Barrier

import pytest

from hotloop.learn.predicting import items, judges
from hotloop.learn.predicting.items import FEWEST, MOST, ItemSet
from hotloop.learn.predicting.judges import Judges, JudgingRequest
from hotloop.learn.predicting.outcomes import JudgedPrediction, Kind
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.learn.predicting.survey import SIZES, AtSize
from hotloop.tasks import curriculum, render

MODULE = "fused_softmax"
RIGHT = JudgedPrediction(kind="none", check="", sentence="Right.", factor=1.0)

Says = Callable[[PredictedSubmission, str], JudgedPrediction | None]


def of(kind: str, check: str = "correct") -> JudgedPrediction:
    return JudgedPrediction.model_validate({"kind": kind, "check": check, "sentence": f"{kind}."})


@pytest.fixture(scope="module")
def work() -> PredictedSubmission:
    return PredictedSubmission(
        curriculum.load_module(MODULE),
        ("cuda_block", "triton_forward"),
        render.submission(MODULE),
        render.untouched(MODULE),
    )


def drawn(changed: PredictedSubmission, seed: str = "") -> int:
    """Return a number that depends on the changed code and the seed, equal in every process."""
    code = changed.files["softmax.cu"] + changed.files["softmax_triton.py"] + seed.encode()
    return int.from_bytes(hashlib.sha256(code).digest()[:4], "big")


@pytest.fixture
def made(work: PredictedSubmission, monkeypatch: pytest.MonkeyPatch) -> Callable[[Says], ItemSet]:
    def make(says: Says, most: int = MOST) -> ItemSet:
        def judged(
            changed: PredictedSubmission, _task: str, seed: str, *_: object
        ) -> JudgedPrediction | None:
            return RIGHT if changed is work else says(changed, seed)

        def no_sizes(*_: object) -> list[AtSize]:
            return []

        monkeypatch.setattr(judges, "judged", judged)
        monkeypatch.setattr(items, "surveyed", no_sizes)
        return items.make(work, most)

    return make


KINDS = ("wrong", "race", "bounds", "bytes", "stuck")


@pytest.mark.slow
def test_outcomes_are_spread(made: Callable[[Says], ItemSet]) -> None:
    found = made(lambda changed, _: of(KINDS[drawn(changed) % 5]))
    counted = Counter(item.outcome.kind for item in found.items)
    assert len(found.items) == MOST
    assert max(counted.values()) <= 2
    assert len(counted) >= 4
    assert [item.number for item in found.items] == list(range(1, MOST + 1))
    assert {item.task for item in found.items} == {"cuda_block", "triton_forward"}


@pytest.mark.slow
def test_a_change_without_a_clear_outcome_is_no_item(made: Callable[[Says], ItemSet]) -> None:
    """Its outcome depends on the seed, or the judge fails: neither can be a question."""
    by_seed = made(lambda changed, seed: of(KINDS[drawn(changed, seed) % 5]))
    assert by_seed.items == [] or all(
        len({KINDS[drawn(item_work(item, by_seed), seed) % 5] for seed in by_seed.seeds}) == 1
        for item in by_seed.items
    )
    assert by_seed.unclear > 0
    lost = made(lambda _changed, _seed: None)
    assert lost.items == []
    assert lost.unclear == lost.tried > 0


def item_work(item: items.PredictionItem, _made: ItemSet) -> PredictedSubmission:
    plain = PredictedSubmission(
        curriculum.load_module(MODULE),
        ("cuda_block", "triton_forward"),
        render.submission(MODULE),
        render.untouched(MODULE),
    )
    return item.made_in(plain)


@pytest.mark.slow
def test_at_most_two_change_nothing(made: Callable[[Says], ItemSet]) -> None:
    found = made(lambda _changed, _seed: RIGHT)
    assert len(found.items) == 2
    assert {item.outcome.kind for item in found.items} == {"none"}


@pytest.mark.slow
def test_where_there_is_one_outcome_only_there_are_still_questions(
    made: Callable[[Says], ItemSet],
) -> None:
    found = made(lambda _changed, _seed: of("wrong"))
    assert len(found.items) == 4 < FEWEST


@pytest.mark.slow
def test_at_most_one_is_about_code_that_is_refused(made: Callable[[Says], ItemSet]) -> None:
    found = made(lambda _changed, _seed: of("refused"))
    assert len(found.items) == 1


def test_a_task_on_which_the_seeds_do_not_agree_has_no_items(
    work: PredictedSubmission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(
        _changed: PredictedSubmission, task: str, seed: str, *_: object
    ) -> JudgedPrediction | None:
        return of(KINDS[int(seed, 16) % 5]) if task == "cuda_block" else None

    seeds = iter(("0", "1", "2"))

    def next_seed(_bytes: int) -> str:
        return next(seeds)

    monkeypatch.setattr("secrets.token_hex", next_seed)
    monkeypatch.setattr(judges, "judged", judged)
    assert items.make(work).items == []


@pytest.mark.parametrize("kind", ["wrong", "race", "bounds", "refused"])
def test_a_task_that_is_wrong_without_a_change_has_no_items(
    work: PredictedSubmission, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def judged(*_: object) -> JudgedPrediction:
        return of(kind)

    monkeypatch.setattr(judges, "judged", judged)
    made = items.make(work)
    assert (made.items, made.tried) == ([], 0)
    assert set(made.left_out) == {"cuda_block", "triton_forward"}
    assert "it is not right" in made.left_out["cuda_block"]


def at_sizes(kinds: Sequence[str], more: str = "", figures: str = "") -> list[AtSize]:
    """Return a survey with these outcomes in turn, and a further finding of the simulator."""
    heard = frozenset[Kind]({of(more).kind} if more else ())
    return [
        AtSize(RIGHT.model_copy(update={"figures": figures}) if kind == "none" else of(kind), heard)
        for kind, _ in zip(cycle(kinds), SIZES, strict=False)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "survey", "is_item"),
    [
        ("wrong", at_sizes(["wrong"]), True),
        ("wrong", at_sizes(["none", "wrong"]), True),
        ("wrong", at_sizes(["none"]), True),
        ("bounds", at_sizes(["bounds", "none"]), True),
        ("wrong", at_sizes(["wrong", "bounds"]), False),
        ("bounds", at_sizes(["wrong", "none"]), False),
        ("bounds", at_sizes(["bounds"], more="race"), False),
        ("race", at_sizes(["race"], more="bounds"), False),
        ("race", [AtSize(None) for _ in SIZES], False),
        ("none", at_sizes(["none"]), True),
        ("none", at_sizes(["none", "wrong"]), False),
        ("none", at_sizes(["none"], figures="others"), False),
        ("bytes", at_sizes(["none", "race"]), False),
    ],
)
def test_of_which_several_outcomes_are_true_is_no_item(
    work: PredictedSubmission,
    made: Callable[[Says], ItemSet],
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    survey: list[AtSize],
    is_item: bool,
) -> None:
    """Other numbers in one shape and a fault in another, or two faults in one run."""

    def surveyed(changed: PredictedSubmission, *_: object) -> list[AtSize]:
        return at_sizes(["none"]) if changed is work else survey

    def padded(text: str) -> str:
        return text

    made(lambda _changed, _seed: RIGHT)
    monkeypatch.setattr(items, "surveyed", surveyed)
    monkeypatch.setattr(items, "padded", padded)
    monkeypatch.setattr(items, "_TRIED", 4)

    def judged(changed: PredictedSubmission, *_: object) -> JudgedPrediction:
        return RIGHT if changed is work or key == "none" else of(key)

    monkeypatch.setattr(judges, "judged", judged)
    found = items.make(work)
    assert bool(found.items) == is_item
    assert is_item or found.unclear > 0
    for item in found.items:
        assert {one.kind for one in item.sizes} <= {key, "none"}
        if key != "none" and all(one.outcome == RIGHT for one in survey):
            assert item.sizes == [], "it depends on values that are not asked about"
            continue
        assert len(item.sizes) == len(SIZES)
        shown = [one for one in item.sizes if one.kind == "none"]
        assert key == "none" or item.follow_up == (shown or item.sizes)[0]


@pytest.mark.slow
def test_an_item_makes_its_change_again(
    work: PredictedSubmission, made: Callable[[Says], ItemSet]
) -> None:
    found = made(lambda changed, _: of(KINDS[drawn(changed) % 5]))
    for item in found.items:
        changed = item.made_in(work)
        assert KINDS[drawn(changed) % 5] == item.outcome.kind
        name = item.file
        before, after = work.files[name].decode(), changed.files[name].decode()
        assert before.split("\n")[item.line - 1] != after.split("\n")[item.line - 1]


@pytest.mark.slow
def test_seeds_are_drawn_anew(made: Callable[[Says], ItemSet]) -> None:
    first, second = made(lambda _w, _s: RIGHT), made(lambda _w, _s: RIGHT)
    assert len({*first.seeds, *second.seeds}) == 6


@pytest.mark.slow
def test_what_is_chosen_depends_on_no_number_of_processes(
    made: Callable[[Says], ItemSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[items.PredictionItem]] = []
    for count in (1, 3):
        monkeypatch.setattr(judges, "default_jobs", lambda count=count: count)
        found.append(made(lambda changed, _: of(KINDS[drawn(changed) % 5])).items)
    assert found[0] == found[1]
    assert len(found[0]) == MOST


@pytest.mark.slow
def test_an_operator_whose_outcome_is_no_longer_wanted_waits(
    work: PredictedSubmission, made: Callable[[Says], ItemSet]
) -> None:
    """One operator makes races, all others wrong results, of which two are soon found."""
    own = [change for task in work.tasks for change in changes(work, task)]
    operators = [change.edit.operator for change in own]
    rare = next(name for name in reversed(dict.fromkeys(operators)) if operators.count(name) > 2)
    races = {change.text for change in own if change.edit.operator == rare}

    def is_race(changed: PredictedSubmission) -> bool:
        return not races.isdisjoint(
            data.decode("utf-8", "replace") for data in changed.files.values()
        )

    judged: list[tuple[str, bool]] = []

    def says(changed: PredictedSubmission, seed: str) -> JudgedPrediction:
        judged.append((seed, is_race(changed)))
        return of("race" if judged[-1][1] else "wrong")

    found = made(says)
    tried = [race for seed, race in judged if seed == found.seeds[0]]
    first, second = [number for number, race in enumerate(tried) if race][:2]
    assert second - first < len(set(operators)) // 2, "it waited until others had another turn"


@pytest.mark.slow
def test_no_more_is_tried_once_enough_can_be_had(
    made: Callable[[Says], ItemSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_two(changed: PredictedSubmission, _seed: str) -> JudgedPrediction:
        return of(("wrong", "bytes")[drawn(changed) % 2])

    patient = made(by_two)
    assert len(patient.items) == FEWEST
    monkeypatch.setattr(items, "_ENOUGH", 0.0)
    monkeypatch.setattr(items, "FEWEST", 2)
    hurried = made(by_two)
    assert 2 <= len(hurried.items) < len(patient.items)
    assert hurried.tried < patient.tried


def test_without_time_there_are_no_questions_and_it_is_said(
    work: PredictedSubmission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(*_: object) -> JudgedPrediction:
        return RIGHT

    monkeypatch.setattr(judges, "judged", judged)
    told: list[str] = []
    made = items.make(work, say=told.append, seconds=0.0)
    assert (made.items, made.tried, told) == ([], 0, [])
    assert set(made.left_out.values()) == {"There was no time left to judge it."}


def test_progress_has_time_and_count(
    work: PredictedSubmission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(*_: object) -> None:
        return None

    monkeypatch.setattr(judges, "judged", judged)
    told: list[str] = []
    items.make(work, say=told.append)
    lines = [re.sub(r"^\d+ of", "… of", line) for line in told]
    assert lines == [f"… of 240 s, 0 of 8 questions; {task}: as it is" for task in work.tasks]


def test_works_are_judged_at_once_and_told_in_order(
    work: PredictedSubmission, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Barrier(2, timeout=30)

    def judged(_work: PredictedSubmission, _task: str, seed: str, *_: object) -> JudgedPrediction:
        both.wait()
        return of("wrong", seed)

    monkeypatch.setattr(judges, "judged", judged)
    with Judges(2) as two:
        found = two.judge(JudgingRequest(work, "cuda_block", seed) for seed in ("a", "b", "c", "d"))
    assert [one and one.check for one in found] == ["a", "b", "c", "d"]
