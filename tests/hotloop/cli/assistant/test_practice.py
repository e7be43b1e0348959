"""Practice questions by the protocol's own client: asked, answered, marked, in this order."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp.types import ElicitResult

from hotloop.learn.bank import catalog
from hotloop.learn.practice import store

pytestmark = pytest.mark.slow

Talk = Callable[..., None]
ANSWER = "The kernel waits for memory, since each byte is used in one operation."
NUMERIC = next(entry for entry in catalog.catalog() if entry.question.numeric)


def secrets(key: str) -> list[str]:
    question = catalog.find(key).question
    return [question.say, question.answer, *question.follow_ups, *question.rubric.values()]


def test_a_question_is_asked_answered_and_marked(talk: Talk) -> None:
    async def body(session: Any) -> None:
        asked = await session.call("ask_question", module="first_kernels")
        key = asked["question"]
        assert key.startswith("first_kernels.")
        assert asked["times"] == 0
        assert not any(text in str(asked) for text in secrets(key))
        assert "answer it" in await session.refused("mark_question", question=key, mark=4)
        hint = await session.call("question_hint", question=key)
        assert (hint["number"], hint["of"]) == (1, asked["hints_of"])
        assert "at least" in await session.refused("answer_question", question=key, answer="show")
        told = await session.call("answer_question", question=key, answer=ANSWER)
        assert (told["say"], told["due"]) == (catalog.find(key).question.say, None)
        assert "mark it" in await session.refused("ask_question")
        assert "already" in await session.refused("question_hint", question=key)
        marked = await session.call("mark_question", question=key, mark=3)
        [review] = store.read().state.reviews
        assert (review.question, review.mark, review.hints) == (key, 3, 1)
        assert store.read().state.due[key].isoformat()[:19] == marked["due"][:19]
        again = await session.call("ask_question", module="first_kernels")
        assert again["question"] != key
        assert (await session.call("ask_question", question=key))["times"] == 1

    talk(body)


def test_a_learner_who_gives_up_gets_the_answer_and_no_points(talk: Talk) -> None:
    async def body(session: Any) -> None:
        key = (await session.call("ask_question"))["question"]
        told = await session.call("answer_question", question=key, gives_up=True)
        assert told["answer"]
        assert told["due"]
        assert [review.mark for review in store.read().state.reviews] == [0]
        assert "not being asked" in await session.refused("mark_question", question=key, mark=4)

    talk(body)


def test_a_number_is_compared_and_not_shown_before(talk: Talk) -> None:
    async def body(session: Any) -> None:
        for right in (False, True):
            asked = await session.call("ask_question", question=NUMERIC.key)
            key = asked["question"]
            assert asked["numbers"]["ask"]
            form = NUMERIC.question.numeric
            assert form is not None
            assert form.explain not in str(asked)
            told = await session.call(
                "answer_question",
                question=key,
                answer=ANSWER,
                number=solved(asked) * (1 + 9 * (not right)),
            )
            assert told["number_right"] is right
            assert form.explain in told["number"]
            await session.call("mark_question", question=key, mark=2)
        assert [review.numeric for review in store.read().state.reviews] == [False, True]

    talk(body)


def solved(asked: dict[str, Any]) -> float:
    """The number that was asked for: of the instance with the same text."""
    from hotloop.learn.bank import numeric

    form = NUMERIC.question.numeric
    assert form is not None
    [same] = [each for each in numeric.instances(form) if each.ask == asked["numbers"]["ask"]]
    return same.answer


def test_a_question_is_asked_in_chinese(talk: Talk) -> None:
    async def body(session: Any) -> None:
        asked = await session.call("ask_question", language="zh")
        assert not asked["prompt"].isascii()

    talk(body)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_where_the_client_has_forms_the_learner_confirms_the_answer(talk: Talk, mode: str) -> None:
    own = iter([False, True])
    said: list[str] = []

    async def learner(_context: Any, request: Any) -> ElicitResult:
        said.append(request.message)
        return ElicitResult(action="accept", content={"own": next(own)})

    async def body(session: Any) -> None:
        key = (await session.call("ask_question"))["question"]
        invented = await session.refused("answer_question", question=key, answer=ANSWER)
        assert "not their own answer" in invented
        assert await session.call("answer_question", question=key, answer=ANSWER)
        assert [ANSWER in text for text in said] == [True, True]

    talk(body, mode=mode, elicitation_callback=learner)
