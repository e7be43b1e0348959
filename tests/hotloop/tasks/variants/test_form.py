"""`variants.yaml`: errors are reported with their lines, and each edit matches something."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.core.yaml_lines import CurriculumError, load
from hotloop.tasks import curriculum, render
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.reference_files import NOTEBOOK_SOURCE, VARIANTS, sources
from hotloop.tasks.variants import form, plain, rewriting
from hotloop.tasks.variants.form import VariantEdit, VariantForm

MODULES = [p.parent.name for p in sorted(paths.solutions().glob(f"*/{VARIANTS}"))]
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


def _form(folder: Path, text: str) -> VariantForm:
    path = folder / VARIANTS
    path.write_text(text, encoding="utf-8")
    return load(path, VariantForm)


def test_a_sound_form_is_read(tmp_path: Path) -> None:
    (choice,) = _form(tmp_path, SOUND).choices
    assert choice.plain == {"FACTOR": 1}
    assert choice.drawable == [{"FACTOR": 3600}]
    assert choice.slots({"FACTOR": 3600}) == {"FACTOR": "3600", "factor": "3600"}
    with pytest.raises(ValueError, match="the choice unit has no option with"):
        choice.slots({"FACTOR": 60})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("${FACTOR}", "${OTHER}", r":3: choices.0: .*OTHER, which no option has"),
        ("hours: {code: {FACTOR: 3600}}", "hours: {}", r":8: the key .*hours.code' is missing"),
        ("{FACTOR: 3600}", "{OTHER: 3600}", ":3: choices.0: all options of a choice"),
        ("3600", "1", ":3: choices.0: two options of a choice have the same constants"),
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
    (tmp_path / "fused_softmax").mkdir()
    (tmp_path / "fused_softmax" / VARIANTS).write_text(SOUND, encoding="utf-8")
    monkeypatch.setattr(paths, "solutions", lambda: tmp_path)
    monkeypatch.setattr(form.curriculum, "load_module", lambda _name: curriculum_module())
    form.form_of.cache_clear()
    try:
        with pytest.raises(CurriculumError, match=r"variants.yaml:5: .*no task called 'clock'"):
            form.form_of("fused_softmax")
    finally:
        form.form_of.cache_clear()


def curriculum_module() -> curriculum.Module:
    return load(paths.curriculum() / "fused_softmax" / "module.yaml", curriculum.Module)


Answers = dict[str, list[tuple[str, str]]]
"""By task: lines, each with its file."""


def _lines(module: str) -> dict[str, list[str]]:
    """Return the lines that edits of text may match, by file: all given text, and the hints."""
    found: dict[str, list[str]] = {}
    for source in sources(module).values():
        if source.suffix in {".py", ".cu", ".cpp", ".md"}:
            found[_name(source)] = source.read_text(encoding="utf-8").split("\n")
    found[render.NOTEBOOK] += [line for _, line in _hints(module)]
    return found


def _answers(module: str) -> Answers:
    """Return the lines that edits of answers may match: solutions, wrong answers, and the hints."""
    files: dict[str, str] = {}
    found: Answers = {}
    for source in sources(module).values():
        if source.suffix in {".py", ".cu", ".cpp", ".pbtxt"}:
            for region in regions(parse(source.read_text(encoding="utf-8"), source.name)):
                files[region.key] = _name(source)
                _add(found, region.key, region.body, files)
    for wrong in render.wrong_answers(module):
        for key, body in wrong.bodies.items():
            _add(found, key, body, files)
    for task, line in _hints(module):
        found.setdefault(task, []).append((render.NOTEBOOK, line))
    return found


def _add(found: Answers, key: str, body: Iterable[str], files: dict[str, str]) -> None:
    task = key.split(" ")[0].partition(".")[2]
    found.setdefault(task, []).extend((files[key], line) for line in body)


def _hints(module: str) -> Iterator[tuple[str, str]]:
    for task in curriculum.load_module(module).tasks:
        yield from ((task.id, line) for hint in task.hints for line in hint.split("\n"))


def _name(source: Path) -> str:
    return render.NOTEBOOK if source.name == NOTEBOOK_SOURCE else source.name


def _finds(edit: VariantEdit, line: str, file: str) -> bool:
    return (not edit.files or file in edit.files) and _changes(edit, line)


def _changes(edit: VariantEdit, line: str) -> bool:
    return rewriting._edited(line, edit.find, "\0") != line


@pytest.mark.parametrize("module", MODULES)
def test_every_edit_of_an_answer_finds_something_in_its_tasks(module: str) -> None:
    """When the module's text changes, the edit must change with it."""
    answers = _answers(module)
    for choice in form.form_of(module).choices:
        lines = [each for task in choice.tasks for each in answers.get(task, [])]
        for edit in choice.answers:
            assert any(_finds(edit, line, file) for file, line in lines), (choice.name, edit.find)


@pytest.mark.parametrize("module", MODULES)
def test_every_edit_of_the_text_finds_something_in_its_files(module: str) -> None:
    lines = _lines(module)
    for choice in form.form_of(module).choices:
        for edit in choice.text:
            assert set(edit.files) <= set(lines), (choice.name, edit.files)
            known = [line for name in edit.files or lines for line in lines[name]]
            assert any(_changes(edit, line) for line in known), (choice.name, edit.find)


@pytest.mark.slow
@pytest.mark.parametrize("module", [m.id for m in curriculum.modules()])
def test_without_a_variant_everything_is_rendered_as_ever(module: str) -> None:
    assert render.render(module, plain(module)) == render.render(module)
    assert render.submission(module, None, plain(module)) == render.submission(module)


@pytest.mark.parametrize("module", [m.id for m in curriculum.modules()])
def test_names_are_those_of_functions_that_are_judged(module: str) -> None:
    text = "".join(
        source.read_text(encoding="utf-8")
        for source in sources(module).values()
        if source.suffix in {".py", ".cu"}
    )
    for name in form.form_of(module).names:
        assert re.search(rf"(def|__global__ .*) {name}\(", text), name
