"""Which complete answers of a server are right: OpenAI's form, with what it leaves open."""

import json
from typing import Any

import pytest

from hotloop.tasks.modules.llm_serving_engine import decoder
from hotloop.tasks.modules.llm_serving_engine.serving import Client, answer_mismatch

PROMPT, WORD = [3, 4, 5], [7, 8]


def client(*, ends: bool, content: str = "application/json", **usage: Any) -> Client:
    """A client with a whole answer. usage: what differs from that of the text's two tokens."""
    reason = "stop" if ends else "length"
    choice = {"index": 0, "text": decoder.text(WORD), "finish_reason": reason}
    reported = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5} | usage
    body = {"id": 1, "object": "text_completion", "choices": [choice], "usage": reported}
    completion = [*WORD, decoder.END] if ends else WORD
    served = Client(0, "", prompt=PROMPT, completion=completion, produced=len(completion))
    served.pieces = [{"start": [200, content]}, {"body": json.dumps(body)}, {"end": True}]
    return served


def test_the_end_token_may_count_or_not() -> None:
    assert answer_mismatch(client(ends=True)) is None
    assert answer_mismatch(client(ends=True, completion_tokens=3, total_tokens=6)) is None


@pytest.mark.parametrize(
    ("ends", "usage"),
    [
        (False, {"completion_tokens": 3, "total_tokens": 6}),
        (True, {"completion_tokens": 3}),
        (True, {"total_tokens": 6}),
        (True, {"prompt_tokens": 0}),
        (True, {"completion_tokens": True}),
        (True, {"total_tokens": None}),
    ],
)
def test_all_else_of_a_usage_is_wrong(ends: bool, usage: dict[str, Any]) -> None:
    assert "its usage is" in str(answer_mismatch(client(ends=ends, **usage)))


def test_a_usage_may_have_openais_further_entries() -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 0}}
    assert answer_mismatch(client(ends=True, **details)) is None


@pytest.mark.parametrize("content", ["application/json; charset=utf-8", "application/json;x=1"])
def test_a_content_type_may_have_parameters(content: str) -> None:
    assert answer_mismatch(client(ends=False, content=content)) is None
    assert answer_mismatch(client(ends=False, content="text/html; application/json")) is not None
