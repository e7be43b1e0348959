"""The page's ruling on an answer to a question with numbers, and its message."""

from collections.abc import Callable
from typing import Any

import pytest

from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import catalog
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.practice import data

JavaScript = Callable[[str, object], Any]


@pytest.fixture
def judged(javascript: JavaScript) -> Callable[..., Any]:
    """Returns the page's check of an answer; for a wrong one it also says how it was parsed."""

    def found(unit: str, answer: float, said: str, tolerance: float = 0.02) -> dict[str, Any]:
        form = numeric.document(Instance({}, "?", answer, unit, tolerance, "So it is."))
        drawn = {"ask": "?", "answer": answer, "shown": form["shown"], "form": form}
        return javascript("return hotloop.numbers.check(given[0], given[1])", [drawn, said])

    return found


@pytest.mark.parametrize(
    ("unit", "answer", "said"),
    [
        ("bytes", 3.2e9, "3.2 GB"),
        ("bytes", 3.2e9, "3200000000"),
        ("bytes", 3.2e9, "3 200 000 000 bytes."),
        ("bytes", 3.2e9, "3.2 × 10^9 B"),
        ("bytes", 3.2e9, "3.2*10**9"),
        ("bytes", 3.2e9, "2.98 GiB"),
        ("bytes", 3.2e9, "25.6 Gbit"),
        ("GB", 3.2, "3.2"),
        ("GB", 3.2, "3,2 gb"),
        ("GB", 3.2, "3200000000"),
        ("GB", 3.2, "about 3,200 MB"),
        ("GB/s", 2000, "2 TB / s"),
        ("ms", 12.0, "0.012"),
        ("ms", 12.0, "约 12000 µs"),
        ("%", 42.0, "0.42"),
        ("%", 42.0, "42%"),
        ("tokens", 2e6, "2 million tokens"),
        ("tokens/s", 15_000, "15k"),
        ("requests/s", 3, "3 request/s"),
        ("TFLOP/s", 3, "3000 GFLOP/s"),
        ("", 33.6, "33"),
        ("", 0.5, ".5"),
    ],
)
def test_a_right_answer_is_right_however_it_is_written(
    judged: Any, unit: str, answer: float, said: str
) -> None:
    found = judged(unit, answer, said)
    assert found["right"], found
    assert found["sentence"].endswith("So it is.")


@pytest.mark.parametrize(
    ("unit", "answer", "said", "words"),
    [
        ("bytes", 3.2e9, "3.2", "too small"),
        ("bytes", 3.2e9, "3.2 MB", "too small; look at the prefix"),
        ("bytes", 3.2e9, "3.2 GiB", "too large; 1 KiB is 1024 bytes"),
        ("bytes", 3.2e9, "25.6 GB", "too large; a factor of 8: bits"),
        ("bytes", 3.2e9, "1.6 GB", "too small; a factor of 2"),
        ("bytes", 3.2e9, "3.3 GB", "Read as 3,300,000,000 bytes (3.3 GB): 3% too large"),
        ("bytes", 3.2e9, "2.85 GB", "11% too small"),
        ("bytes", 3.2e9, "96 GB", "too large by a factor of 30"),
        ("bytes", 3.2e9, "-3 GB", "the wrong sign"),
        ("bytes", 3.2e9, "0", "the wrong sign, or is nothing"),
        ("GB", 3.2, "3.2 s", "The unit 's' is unknown here"),
        ("GB", 3.2, "no idea", "no number in it; the answer is a number in GB, such as 1.5 GB"),
        ("GB", 3.2, "1e999", "no number in it"),
        ("ms", 12.0, "12.5", "4% too large"),
        ("ms", 1.0, "1.024", "2% too large"),
        ("ms", 1.0, "0.12345", "Read as 0.1235 ms"),
    ],
)
def test_a_wrong_answer_is_told_how_it_was_read_and_how_far_it_is(
    judged: Any, unit: str, answer: float, said: str, words: str
) -> None:
    found = judged(unit, answer, said, tolerance=0.01)
    assert not found["right"]
    assert words in found["sentence"]
    assert "3,200,000,000" not in found["sentence"], "the answer is not given away"


def test_the_tolerance_is_a_fraction_of_the_answer(judged: Any) -> None:
    assert judged("", 100, "105", 0.05)["right"]
    assert not judged("", 100, "105.1", 0.05)["right"]


@pytest.mark.slow
def test_every_question_takes_its_own_answer_as_it_is_shown(javascript: JavaScript) -> None:
    found = {entry.key: data.text(entry, "en")["numeric"] for entry in catalog()}
    forms = {key: form for key, form in found.items() if form}
    body = (
        "return Object.entries(given).map(([key, form]) => {"
        "  const drawn = hotloop.numbers.draw(form);"
        "  const said = `${drawn.answer} ${form.unit}`;"
        "  const { right, sentence } = hotloop.numbers.check(drawn, said);"
        "  return [key, right && sentence.startsWith(`Right: ${drawn.shown}. `), drawn.ask] })"
    )
    told = javascript(body, forms)
    assert len(told) == len(forms) > 10
    assert [key for key, right, _ in told if not right] == []
    for key, _, ask in told:
        assert ask in [each[0] for each in forms[key]["instances"]]
