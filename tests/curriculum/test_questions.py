"""The bank as it lies in curriculum/: what holds for every question, whoever wrote it."""

import re
import statistics
from collections.abc import Iterator
from dataclasses import astuple

import markdown
import pytest

from hotloop.learn.bank import numeric, units
from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.learn.bank.export import markup
from hotloop.learn.bank.guides import guides
from hotloop.learn.bank.interviews import ROUNDS, roles_of, round_of
from hotloop.learn.bank.wording import Wording, blocks, wording
from hotloop.tasks import curriculum

ENTRIES = catalog()
HAN = r"[\u3400-\u9fff]"
NARROW = re.compile(rf"{HAN}[,;:?!]|[,;?!]{HAN}")
"""Signs of the Latin alphabet in a Chinese sentence."""

MOST_INSTANCES = 10_000
MEDIAN_WORDS, MOST_WORDS = 150, 200
ONE_PARAGRAPH = {"en": 500, "zh": 250}
"""Characters of an answer that needs neither list nor code nor a word in bold."""

per_question = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
per_chinese = pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry.chinese], ids=lambda entry: entry.key
)
per_numeric = pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry.question.numeric], ids=lambda entry: entry.key
)


def wordings(entry: CatalogEntry) -> Iterator[Wording]:
    """The texts in each language."""
    yield wording(entry, "en")
    if entry.chinese:
        yield wording(entry, "zh")


@per_question
def test_its_links_lead_to_tasks(entry: CatalogEntry) -> None:
    for link in entry.question.links:
        module, _, task = link.partition(".")
        assert curriculum.load_module(module).task(task)


@per_question
def test_what_candidates_say_is_quoted_once(entry: CatalogEntry) -> None:
    """Pages put quotation marks around it."""
    for text in wordings(entry):
        said = [says for says, _ in text.weak_answers]
        assert [says for says in said if says.startswith(("“", '"'))] == []


def test_every_title_is_a_question_and_asked_once() -> None:
    titles = [wording(entry, "en").title for entry in ENTRIES]
    titles += [wording(entry, "zh").title for entry in ENTRIES if entry.chinese]
    assert [title for title in titles if not title.endswith(("?", "？"))] == []
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("kind", ["profile", "fault", "design"])
def test_there_are_six_of_each_kind(kind: str) -> None:
    assert len([entry for entry in ENTRIES if entry.question.kind == kind]) >= 6


@per_question
def test_it_fits_a_role(entry: CatalogEntry) -> None:
    assert roles_of(entry)


def test_each_role_and_round_has_questions_for_an_interview() -> None:
    for role in curriculum.curriculum().roles:
        assert set(role.modules) <= set(curriculum.curriculum().order)
        assert set(role.tracks) <= {track.id for track in curriculum.curriculum().tracks}
        rounds = {round_of(entry) for entry in ENTRIES if role.id in roles_of(entry)}
        assert {"phone_screen", "technical"} <= rounds, role.id
    for each in ROUNDS:
        assert sum(round_of(entry) == each for entry in ENTRIES) >= 6


@per_question
def test_what_is_opinion_stands_in_the_answer(entry: CatalogEntry) -> None:
    answer = " ".join(entry.question.answer.split())
    for sentence in entry.question.opinion:
        assert " ".join(sentence.split()).rstrip(".") in answer


@per_question
def test_an_answer_is_laid_out_alike_on_the_site_and_in_a_kit(entry: CatalogEntry) -> None:
    """A list without an empty line, or a wrapped line that begins with 3., is another list."""
    for text in wordings(entry):
        page = markdown.markdown(text.answer, extensions=["pymdownx.superfences"])
        kit = markup.paragraphs(text.answer)
        for tag in ("<ul", "<ol", "<li", "<strong", "<pre"):
            assert page.count(tag) == kit.count(tag), tag


def test_answers_can_be_scanned() -> None:
    answers = [entry.question.answer for entry in ENTRIES]
    assert statistics.median(len(answer.split()) for answer in answers) <= MEDIAN_WORDS
    assert max(len(answer.split()) for answer in answers) <= MOST_WORDS
    for entry in ENTRIES:
        for text in wordings(entry):
            long = len(text.answer) > ONE_PARAGRAPH[text.language]
            assert not long or re.search(r"(?m)^- |^```|\*\*", text.answer), entry.key


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.question.kind == "fault"], ids=lambda entry: entry.key
)
def test_its_proof_runs_the_kernel_that_the_prompt_shows(entry: CatalogEntry) -> None:
    kernels = [block.text for block in blocks(entry.question.prompt) if block.code]
    sources = [proof.source for proof in entry.proofs]
    sources += [
        cuda.read_text(encoding="utf-8")
        for proof in entry.proofs
        if (cuda := proof.path.with_suffix(".cu")).is_file()
    ]
    assert kernels
    for kernel in kernels:
        assert any(kernel in source for source in sources)


@per_chinese
def test_its_chinese_is_set_in_chinese(entry: CatalogEntry) -> None:
    said = repr(astuple(wording(entry, "zh")))
    assert NARROW.findall(said) == []


@per_numeric
def test_all_its_instances_can_be_computed_and_answered(entry: CatalogEntry) -> None:
    form = entry.question.numeric
    assert form is not None
    found = list(numeric.instances(form))
    assert 1 < len(found) <= MOST_INSTANCES
    for instance in found[:50]:
        # As a page reads what somebody types.
        number, _, unit = instance.shown.partition(" (")[0].partition(" ")
        read = float(number.replace(",", "")) * units.readings(instance.unit)[unit]
        assert read == pytest.approx(instance.answer, rel=instance.tolerance)


def test_guides_are_covered_by_questions() -> None:
    known = {entry.key for entry in ENTRIES}
    for guide in guides():
        assert set(guide.covered_by) <= known, guide.id
