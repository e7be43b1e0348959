"""The data of the practice pages, as scripts: a page opened from a file can load nothing else.

`data/index.js` lists all questions without their texts. Each question's texts are in one file per
language, which is loaded when the question is asked.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, get_args

from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import markup
from hotloop.learn.bank.export.labels import LABELS as HEADINGS
from hotloop.learn.bank.wording import Language, Wording, wording
from hotloop.learn.learning import items, standing
from hotloop.learn.learning.graph import way
from hotloop.learn.learning.items import TestItem
from hotloop.tasks import curriculum

LANGUAGES: tuple[Language, ...] = get_args(Language)

Script = Callable[[], str]


def scripts(
    modules: Sequence[curriculum.Module], entries: Sequence[CatalogEntry]
) -> Mapping[str, Script]:
    """Return a function that makes each script, by its path relative to the pages' scripts."""
    texts = {
        f"data/{entry.key.replace('.', '/')}.{language}.js": partial(_text, entry, language)
        for entry in entries
        for language in _languages(entry)
    }
    return {
        "data/index.js": lambda: script("hotloop.index", index(modules, entries)),
        "data/placement.js": lambda: script("hotloop.placementItems", tests(modules)),
        **texts,
    }


def script(name: str, value: object) -> str:
    """Return a JavaScript statement that assigns `value` to `name`."""
    return f"{name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"


def index(modules: Sequence[curriculum.Module], entries: Sequence[CatalogEntry]) -> dict[str, Any]:
    """Return everything except texts."""
    known = curriculum.curriculum()
    present = {module.id for module in modules}
    taught = {name for module in modules for name in module.concepts}
    return {
        "tiers": known.tiers,
        "tracks": [
            {
                "id": track.id,
                "title": track.title,
                "way": [module.id for module in way(track.id) if module.id in present],
            }
            for track in known.tracks
        ],
        "modules": [_module(module) for module in modules],
        "concepts": [{"id": c.id, "title": c.title} for c in known.concepts if c.id in taught],
        "questions": [_question(entry) for entry in entries],
        "standing": {
            "good_mark": standing.GOOD_MARK,
            "enough_questions": standing.ENOUGH_QUESTIONS,
            "meaning": standing.MEANING,
        },
        "headings": {lang: asdict(HEADINGS[lang]) for lang in LANGUAGES},
    }


def tests(modules: Sequence[curriculum.Module]) -> dict[str, Any]:
    """Return each track's placement items, by tier.

    An item with numbers only names its question; that question's own file has the rest.
    """
    tracks = {module.track for module in modules}
    return {
        track.id: {
            tier: [_item(item) for item in of_tier]
            for tier, of_tier in items.items(track.id, way(track.id)).items()
        }
        for track in curriculum.curriculum().tracks
        if track.id in tracks
    }


def text(entry: CatalogEntry, language: Language) -> dict[str, Any]:
    """Return the displayed texts of a question; longer ones are HTML."""
    texts = wording(entry, language)
    return {
        "title": texts.title,
        "prompt": markup.paragraphs(texts.prompt),
        # If a question has no hints, the steps of its strategy serve as hints.
        "hints": _inline(texts.hints or texts.strategy),
        "strategy": _inline(texts.strategy),
        "say": markup.paragraphs(texts.say),
        "answer": markup.paragraphs(texts.answer),
        "weak_answers": [_inline(pair) for pair in texts.weak_answers],
        "follow_ups": _inline(texts.follow_ups),
        "rubric": _inline(texts.rubric[mark] for mark in range(5)),
        "practise": [_task(link) for link in entry.question.links],
        "numeric": _numeric(entry, texts),
    }


def _text(entry: CatalogEntry, language: Language) -> str:
    return script(f'hotloop.texts.known["{entry.key}/{language}"]', text(entry, language))


def _module(module: curriculum.Module) -> dict[str, Any]:
    return {
        "id": module.id,
        "title": module.title,
        "track": module.track,
        "tier": module.tier,
        "prerequisites": module.prerequisites.modules,
        "concepts": module.concepts,
        "tasks": [
            {"key": f"{module.id}.{task.id}", "title": task.title, "graded": task.kind == "code"}
            for task in module.tasks
        ],
    }


def _question(entry: CatalogEntry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "track": entry.track,
        "module": entry.module,
        "level": entry.question.level,
        "minutes": entry.question.minutes,
        "titles": {lang: wording(entry, lang).title for lang in _languages(entry)},
    }


def _item(item: TestItem) -> dict[str, Any]:
    if item.choice is None:
        return {"question": item.question}
    return {**item.choice.model_dump(), "question": item.question}


def _task(link: str) -> dict[str, str]:
    module, _, task = link.partition(".")
    return {"key": link, "title": curriculum.load_module(module).task(task).title}


def _numeric(entry: CatalogEntry, texts: Wording) -> dict[str, Any] | None:
    form = entry.question.numeric
    if form is None:
        return None
    documents = [numeric.document(each) for each in numeric.instances(form, texts.numeric)]
    shared = ("unit", "tolerance", "explain", "readings", "base_factor", "telltales")
    return {
        "instances": [
            [" ".join(each["ask"].split()), each["answer"], each["shown"]] for each in documents
        ],
        **{name: documents[0][name] for name in shared},
    }


def _inline(texts: Iterable[str]) -> list[str]:
    return [markup.inline(each) for each in texts]


def _languages(entry: CatalogEntry) -> list[Language]:
    return [language for language in LANGUAGES if language in entry.languages]
