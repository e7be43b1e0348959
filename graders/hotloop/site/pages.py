"""Gathers the pages into build/pages and writes build/mkdocs.yml; mkdocs builds from them."""

import json
import shutil
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from hotloop.core import paths
from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.learn.bank.guides import guides
from hotloop.learn.practice import data
from hotloop.learn.practice.server import PAGE
from hotloop.site import (
    accelerator_page,
    authoring_page,
    benchmarks,
    boundaries,
    checks_page,
    curriculum_pages,
    exploits_table,
    guides_page,
    kernels_page,
    learning_map,
    module_page,
    navigation,
    question_index,
    questions,
    results,
    settings,
    showcase,
    unseen_page,
)
from hotloop.site.markdown import fill, write
from hotloop.site.simulator import assets, programs, tasks_page
from hotloop.takehome.report import schema
from hotloop.tasks import curriculum, figures, lesson_files
from hotloop.tasks.lesson_files import GLOSSARY

REPORT_SCHEMA = "takehome/report.schema.json"
PLAYGROUND = "playground.md"
SIMULATOR_PLACE = 'data-simulator=""'
MODULES_PLACE = "<!-- modules -->"


def gather(root: Path | None = None) -> Path:
    """Write build/pages and build/mkdocs.yml below the clone `root`; return the latter's path.

    Raises FileNotFoundError outside a clone.
    """
    root = root or paths.root()
    source, pages = root / "site", root / "build" / "pages"
    if not (source / settings.NAME).is_file():
        raise FileNotFoundError(f"no {source / settings.NAME}: the site is built in a clone")
    modules, entries = curriculum.modules(), catalog()
    _copy_authored(source / "pages", pages)
    shutil.copyfile(paths.curriculum() / GLOSSARY, pages / GLOSSARY)
    fill(pages / "threat-model.md", boundaries.PLACE, boundaries.figure())
    fill(pages / "threat-model-details.md", exploits_table.PLACE, exploits_table.table())
    recorded = root / "tests" / "benchmarks" / "results"
    unseen = pages / "what-the-judge-cannot-see.md"
    fill(unseen, unseen_page.RATES_PLACE, unseen_page.rates(recorded))
    fill(unseen, unseen_page.ALARMS_PLACE, unseen_page.alarms(recorded))
    fill(unseen, unseen_page.SUITES_PLACE, unseen_page.suites(recorded))
    fill(unseen, unseen_page.REASONS_PLACE, unseen_page.reasons(recorded))
    kernels = pages / "checked-triton-kernels.md"
    fill(kernels, kernels_page.SUMMARY_PLACE, kernels_page.summary())
    fill(kernels, kernels_page.LISTS_PLACE, kernels_page.lists())
    fill(pages / "index.md", showcase.PLACE, showcase.section())
    fill(pages / "index.md", MODULES_PLACE, curriculum_pages.by_track(modules))
    simulator = _write_simulator(pages, root / "build" / "page", modules)
    fill(pages / accelerator_page.NAME, accelerator_page.PLACE, accelerator_page.place(simulator))
    if simulator:
        fill(pages / PLAYGROUND, SIMULATOR_PLACE, f'data-simulator="{simulator}"')
    way = pages / "practice" / "learning-path.md"
    fill(way, learning_map.PLACE, learning_map.section(modules))
    _write_practice(pages / "assets" / "practice", modules, entries)
    write(pages / "benchmarks.md", benchmarks.page(root / "tests" / "benchmarks"))
    write(pages / "checks.md", checks_page.page(recorded))
    write(pages / authoring_page.NAME, authoring_page.page(root))
    write(pages / "results.md", results.page(modules))
    # For other programs, as `hotloop takehome grade --schema` prints it.
    write(pages / REPORT_SCHEMA, json.dumps(schema(), indent=2, ensure_ascii=False))
    _write_ways(pages, modules)
    by_id = {module.id: module for module in modules}
    for module in modules:
        practised = [e for e in entries if _practises(e, module)]
        target = pages / "modules" / module.id
        module_page.write_module(module, by_id, practised, target, simulator)
    listed, unlisted = _write_questions(pages / "questions", entries)
    entry = navigation.navigation(pages, modules, listed)
    return settings.write(source / settings.NAME, root, entry, unlisted)


def _copy_authored(source: Path, pages: Path) -> None:
    """Copy the hand-written pages and insert figures of recorded runs and benchmarks."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(source, pages)
    recorded = source.parents[1] / "tests" / "benchmarks" / "results"
    for page in sorted(pages.rglob("*.md")):
        name = str(source / page.relative_to(pages))
        text = figures.insert(page.read_text(encoding="utf-8"), name)
        write(page, benchmarks.insert(text, recorded, name))


def _write_ways(pages: Path, modules: Sequence[curriculum.Module]) -> None:
    write(pages / "modules" / "index.md", curriculum_pages.overview(modules))
    for track in curriculum.curriculum().tracks:
        write(pages / "tracks" / track.id / "index.md", curriculum_pages.track_page(track, modules))
    for tier in curriculum.curriculum().tiers:
        write(pages / "tiers" / f"{tier}.md", curriculum_pages.tier_page(tier, modules))


def _write_practice(
    folder: Path, modules: Sequence[curriculum.Module], entries: Sequence[CatalogEntry]
) -> None:
    """Copy the practice page's scripts, without those that only `hotloop interview` serves."""
    shutil.copytree(PAGE, folder, ignore=shutil.ignore_patterns("local"))
    for name, script in data.scripts(modules, entries).items():
        write(folder / name, script())


def _write_simulator(pages: Path, npm: Path, modules: Sequence[curriculum.Module]) -> str:
    """Write the simulator's files; return their folder, or "" where npm's packages are missing."""
    if not assets.are_installed(npm):
        return ""
    tasks = tasks_page.documents(modules)
    base = assets.base(npm, [Path(name).stem for name in tasks])
    texts = (p.read_text(encoding="utf-8") for m in modules for p in lesson_files.pages(m.id))
    quoted = [program for text in texts for _, program in programs.quoted(text)]
    documents, archives = programs.compiled(quoted, base, npm)
    simulator = assets.write(pages, base, {**documents, **tasks}, archives)
    if assets.numpy_wheel(npm):
        for module in modules:
            if text := tasks_page.page(module, simulator):
                write(pages / "modules" / module.id / tasks_page.NAME, text)
    return simulator


def _practises(entry: CatalogEntry, module: curriculum.Module) -> bool:
    """Return whether the question belongs to the module or links to one of its tasks."""
    linked = {link.partition(".")[0] for link in entry.question.links}
    return entry.module == module.id or module.id in linked


def _write_questions(folder: Path, entries: Sequence[CatalogEntry]) -> tuple[list[str], list[str]]:
    """Write the question pages; return those in the navigation, and those not in it."""
    write(folder / "index.md", question_index.index_page(entries))
    listed = ["questions/index.md"]
    for track in curriculum.curriculum().tracks:
        write(folder / track.id / "index.md", question_index.track_page(track, entries))
        listed.append(f"questions/{track.id}/index.md")
    if translated := [entry for entry in entries if entry.chinese is not None]:
        write(folder / "chinese.md", question_index.chinese_page(translated))
        listed.append("questions/chinese.md")
    if guide_list := guides():
        write(folder / "guides.md", guides_page.page(guide_list))
        listed.append("questions/guides.md")
    unlisted: list[str] = []
    for entry, following in zip_longest(entries, entries[1:]):
        for name, page in questions.pages(entry, following).items():
            write(folder / name, page)
            unlisted.append(f"questions/{name}")
    return listed, unlisted
