"""`variants.yaml`: faults are named with their lines, and each edit has something to change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop import curriculum, paths, render
from hotloop.markers import parse, regions
from hotloop.variants import form, plain, rewriting
from hotloop.variants.form import Choice, Edit, Form
from hotloop.yaml_lines import CurriculumError, load

MODULES = [m.id for m in curriculum.modules() if (curriculum.folder(m.id) / form.NAME).is_file()]
SOUND = """\
format: 1
choices:
  - name: unit
    about: The unit.
    tasks: [clock]
    options:
      seconds: {code: {FACTOR: 1}}
      hours: {code: {FACTOR: 3600}}
    answers:
      - {find: "return t", becomes: "return t / ${FACTOR}"}
"""


def _form(folder: Path, text: str) -> Form:
    path = folder / form.NAME
    path.write_text(text, encoding="utf-8")
    return load(path, Form)


def test_a_sound_form_is_read(tmp_path: Path) -> None:
    (choice,) = _form(tmp_path, SOUND).choices
    assert choice.plain == "seconds"
    assert choice.drawable == ["hours"]
    assert choice.slots("hours") == {"FACTOR": "3600", "factor": "3600"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("${FACTOR}", "${OTHER}", r":3: choices.0: .*OTHER, which no option has"),
        ("hours: {code: {FACTOR: 3600}}", "hours: {}", ":3: choices.0: all options of a choice"),
        ("      hours: {code: {FACTOR: 3600}}\n", "", ":3: .*between one option is none"),
        ("find: ", "finds: ", r":10: unknown key 'choices.0.answers.0.finds'"),
        ('return t"', 'f(…, …)"', ":10: .*one argument only"),
        ('return t"', 'f[…]"', r":10: .*in brackets"),
        ("tasks: [clock]", "tasks: []", ":5: choices.0.tasks"),
        ("format: 1", "format: 2", ":1: format"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SOUND
    with pytest.raises(CurriculumError, match=said):
        _form(tmp_path, SOUND.replace(old, new, 1))


def test_an_unknown_task_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / form.NAME).write_text(SOUND, encoding="utf-8")
    monkeypatch.setattr(form.curriculum, "folder", lambda _module: tmp_path)
    monkeypatch.setattr(form.curriculum, "load_module", lambda _name: curriculum_module())
    form.form_of.cache_clear()
    try:
        with pytest.raises(CurriculumError, match=r"variants.yaml:5: .*no task called 'clock'"):
            form.form_of("fused_softmax")
    finally:
        form.form_of.cache_clear()


def curriculum_module() -> curriculum.Module:
    return load(paths.curriculum() / "fused_softmax" / "module.yaml", curriculum.Module)


def _edits(module: str) -> Iterator[tuple[Choice, Edit, bool]]:
    for choice in form.form_of(module).choices:
        yield from ((choice, edit, True) for edit in choice.answers)
        yield from ((choice, edit, False) for edit in choice.text)


def _lines(module: str) -> dict[str, list[str]]:
    """What edits may find, by file: all lines of solutions and wrong answers, and the hints."""
    found: dict[str, list[str]] = {}
    for source in render.sources(module):
        name = render.NOTEBOOK if source.name == render.NOTEBOOK_SOURCE else source.name
        if source.suffix in {".py", ".cu", ".cpp", ".md"}:
            found[name] = source.read_text(encoding="utf-8").split("\n")
    hints = [task.hints for task in curriculum.load_module(module).tasks]
    found[render.NOTEBOOK] += [
        line for three in hints for hint in three for line in hint.split("\n")
    ]
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_edit_finds_something_and_is_about_its_tasks(module: str) -> None:
    """Whoever changes the module's text changes the edit with it."""
    lines = _lines(module)
    wrong = [w.path.read_text(encoding="utf-8") for w in render.wrong_answers(module)]
    bodies = {
        region.task.partition(".")[2]: [*region.body]
        for source in render.sources(module)
        if source.suffix in {".py", ".cu"}
        for region in regions(parse(source.read_text(encoding="utf-8"), source.name))
    }
    for choice, edit, is_answer in _edits(module):
        if is_answer:
            known = [line for task in choice.tasks for line in bodies.get(task, [])]
            known += [line for text in wrong for line in text.split("\n")] + lines[render.NOTEBOOK]
            known += [line for each in lines.values() for line in each]
        else:
            known = [line for name in edit.files or lines for line in lines[name]]
        assert any(rewriting.applies(edit, line) for line in known), (choice.name, edit.find)


@pytest.mark.parametrize("module", [m.id for m in curriculum.modules()])
def test_without_a_variant_everything_is_rendered_as_ever(module: str) -> None:
    assert render.render(module, plain(module)) == render.render(module)
    assert render.submission(module, None, plain(module)) == render.submission(module)


@pytest.mark.parametrize("module", [m.id for m in curriculum.modules()])
def test_names_are_those_of_functions_that_are_judged(module: str) -> None:
    text = "".join(
        source.read_text(encoding="utf-8")
        for source in render.sources(module)
        if source.suffix in {".py", ".cu"}
    )
    for name in form.form_of(module).names:
        assert re.search(rf"(def|__global__ .*) {name}\(", text), name
