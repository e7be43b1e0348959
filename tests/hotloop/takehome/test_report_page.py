"""A report's page: self-contained, with the candidate's content as plain text only."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markupsafe import escape

from hotloop.core.intervals import Interval
from hotloop.core.untrusted_text import hidden
from hotloop.core.verdict import Verdict
from hotloop.takehome import report_page
from hotloop.takehome.report import TakehomeReport
from hotloop.takehome.report_page import page
from hotloop.takehome.submission import Submission
from hotloop.verdicts import releases

from .conftest import Hired
from .made_reports import SPEED, all_of, check, record, report_on

HOSTILE = "It said <img src=x onerror=alert(1)> and `<b>`."


class Tags(HTMLParser):
    """Collects all elements with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def report(worked: tuple[Hired, Submission]) -> TakehomeReport:
    wrong = all_of("online_pass", Verdict.WRONG_ANSWER, HOSTILE)
    return report_on(worked[0].team, worked[1], {"online_pass": wrong})


@pytest.mark.slow
def test_it_needs_nothing_from_elsewhere(report: TakehomeReport) -> None:
    tags = Tags(page(report)).found
    assert not {tag for tag, _ in tags} & {"script", "img", "link", "iframe", "object", "form"}
    addresses = [v for _, a in tags for k, v in a.items() if k in {"href", "src"}]
    assert all(address and address.startswith("#") for address in addresses)
    assert not any(name.startswith("on") for _, attrs in tags for name in attrs)


@pytest.mark.slow
def test_the_head_says_when_it_was_handed_in(report: TakehomeReport) -> None:
    assert "handed in on 2030-01-03 12:00 UTC, in time" in page(report)


def test_its_own_links_lead_somewhere(report: TakehomeReport) -> None:
    tags = Tags(page(report)).found
    ids = {attrs["id"] for _, attrs in tags if "id" in attrs}
    assert {attrs["href"] for tag, attrs in tags if tag == "a"} == {
        f"#{name}" for name in ids if name != "score"
    }


def test_what_a_candidate_wrote_is_text(report: TakehomeReport) -> None:
    text = page(report)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert "<img" not in text
    assert "&lt;img src=x" in text


def test_what_hides_or_turns_text_is_a_mark(report: TakehomeReport) -> None:
    """In code, in a message and in a name of a file: wherever the page shows it."""
    turned = "# \u202e ssap saw tset eht \u202c"
    task = report.task("triton_forward")
    code = task.code[0].model_copy(update={"lines": [turned], "added": [1]})
    changed = task.model_copy(update={"code": [code], "sentence": f"It said {turned}\x1b"})
    tasks = [changed if one is task else one for one in report.tasks]
    text = page(report.model_copy(update={"tasks": tasks, "weak_spots": [turned]}))
    assert hidden(text) == []
    assert text.count("⟦U+202E⟧ ssap saw tset eht ⟦U+202C⟧") >= 3


def test_the_first_page_says_what_to_ask(report: TakehomeReport) -> None:
    """With tasks, signals and open points, before everything that is to be looked up."""
    glance = page(report).split('<section class="glance">')[1].split("</section>")[0]
    for ask in report.follow_ups:
        assert str(escape(ask.title))[:60] in glance
    minutes = sum(ask.minutes for ask in report.follow_ups)
    assert f"{minutes} minutes with all of them" in glance
    for task in report.tasks:
        assert task.title in glance
    assert f"Integrity signals</a>: {len(report.signals)}" in glance
    assert "Open points</a>: " in glance
    weak = report.model_copy(update={"weak_spots": ["word " * 200]})
    short = page(weak).split('<section class="glance">')[1].split("</section>")[0]
    assert len(short) < len(glance) + 200


def test_verdicts_questions_signals_and_the_command_are_there(report: TakehomeReport) -> None:
    text = page(report)
    assert "wrong answer" in text
    assert report.follow_ups[0].title in text
    assert report.reproduce.command in text
    assert "Innocent explanation" in text
    assert "Wrong pass:" in text
    assert report.submission.digest in text


def test_the_release_that_judged_is_named(
    report: TakehomeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "of Hotloop<br>" not in page(report)
    known = {"0.1.0": {report.module: report.reproduce.grader_digest}}
    monkeypatch.setattr(releases, "_releases", lambda: known)
    assert "release 0.1.0 of Hotloop<br>" in page(report)


def test_one_explanation_of_several_signals_is_said_once(report: TakehomeReport) -> None:
    """Each title and all evidence stay, and a different explanation is separate."""
    one, *_ = report.signals
    alike = [
        one.model_copy(update={"title": f"Like {name}", "evidence": [f"Seen in {name}."]})
        for name in ("first", "second")
    ]
    other = one.model_copy(update={"title": "Like nothing", "innocent": "A third one."})
    text = page(report.model_copy(update={"signals": [*alike, other]}))
    assert text.count("Innocent explanation of each:") == 1
    assert text.count(str(escape(one.innocent))) == 1
    assert "<em>Innocent explanation:</em> A third one." in text
    for found in (*alike, other):
        assert found.title in text
        assert found.evidence[0] in text


@pytest.mark.slow
def test_speed_is_drawn_with_its_interval(worked: tuple[Hired, Submission]) -> None:
    hired, submission = worked
    fast = record(
        "triton_forward",
        [check("correct"), check("gpu_fast", Verdict.PARTIAL, 0.5, "2.00×.", SPEED)],
    )
    text = page(report_on(hired.team, submission, {"triton_forward": fast}))
    assert "95 % interval 1.90 to 2.10" in text
    assert "40% of what this device can do" in text
    assert ">candidate</text>" in text
    assert ">yours</text>" not in text


def test_an_unconfined_run_is_warned_of(report: TakehomeReport) -> None:
    assert "Not confined." not in page(report)
    environment = report.environment.model_copy(update={"isolation": "none"})
    assert "Not confined." in page(report.model_copy(update={"environment": environment}))


def test_a_report_on_nothing_can_be_shown(report: TakehomeReport) -> None:
    empty = report.model_copy(
        update={"follow_ups": [], "signals": [], "strengths": [], "not_measured": []}
    )
    text = page(empty)
    assert "Everything that counts was measured." in text
    assert "None was found." in text


def test_a_bar_says_what_it_shows() -> None:
    drawn = report_page.bar(Interval(low=2, high=6.5), 8, 'A <b> "task"')
    assert "2 to 6.5 of 8" in drawn
    assert "<b>" not in drawn
    assert "58.1 to 58.2 of 100" in report_page.bar(Interval(low=58.14, high=58.16), 100, "x")
    widths = [float(width) for width in re.findall(r'width="([\d.]+)"', drawn)]
    assert widths[1] == pytest.approx(200 * 2 / 8 - 1)
    assert report_page.bar(Interval.exactly(0), 0, "nothing") == ""


@pytest.mark.slow
def test_a_long_sentence_cannot_break_the_page(
    worked: tuple[Hired, Submission],
) -> None:
    hired, submission = worked
    endless = replace(all_of("online_pass", Verdict.WRONG_ANSWER), sentence="x" * 600)
    assert "x" * 600 in page(report_on(hired.team, submission, {"online_pass": endless}))
