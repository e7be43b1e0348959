"""Which changes become questions. A fake judge with known answers is used."""

import hashlib
from collections import Counter
from collections.abc import Callable
from threading import Barrier

import pytest

from hotloop.learn.predicting import items, judges
from hotloop.learn.predicting.items import FEWEST, MOST, ItemSet
from hotloop.learn.predicting.judges import Judges, JudgingRequest
from hotloop.learn.predicting.outcomes import JudgedPrediction
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.learn.predicting.widths import NoSuchSize
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

        def no_width(*_: object) -> JudgedPrediction:
            raise NoSuchSize("none")

        monkeypatch.setattr(judges, "judged", judged)
        monkeypatch.setattr(items, "judged_at", no_width)
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
    monkeypatch.setattr(items, "_ENOUGH_S", 0.0)
    hurried = made(by_two)
    assert len(hurried.items) == len(patient.items) == FEWEST
    assert hurried.tried < patient.tried
    monkeypatch.setattr(items, "_LONGEST_S", 0.0)
    assert (made(by_two).tried, made(by_two).items) == (0, [])


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
