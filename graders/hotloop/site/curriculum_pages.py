"""Pages of the curriculum: by track, by tier, and all modules with the skill map."""

from collections.abc import Sequence

from hotloop.site import skill_map
from hotloop.site.markdown import cards, front_matter, one_line, plain, prose, steps_of_five
from hotloop.tasks import curriculum

Modules = Sequence[curriculum.Module]


def overview(modules: Modules) -> list[str]:
    """Return the page of all modules, track by track, with the skill map."""
    lines = [
        *front_matter(
            {
                "title": "All modules",
                "description": "Modules by track and by tier.",
                "hide": ["toc"],
            }
        ),
        "# All modules",
        "",
        prose(
            f"{len(modules)} modules in {len(curriculum.curriculum().tracks)} tracks. A module",
            "is a lesson, a notebook whose tasks a judge measures, and the interview questions",
            "that it prepares for. Nothing has to be installed to read them. Times are their",
            "authors' estimates, for somebody who meets the subject for the first time.",
        ),
        "",
    ]
    lines += by_track(modules, "../")
    tiers = " · ".join(f"[{tier}](../tiers/{tier}.md)" for tier in curriculum.curriculum().tiers)
    return [
        *lines,
        "## By tier",
        "",
        f"{tiers}",
        "",
        "## Skill map",
        "",
        *skill_map.section(modules),
    ]


def by_track(modules: Modules, root: str = "") -> list[str]:
    """Return a heading for each track, and a card for each of its modules.

    root: prefix of the links, the path to the site's top.
    """
    lines: list[str] = []
    for track in curriculum.curriculum().tracks:
        lines += [f"## [{track.title}]({root}tracks/{track.id}/index.md)", "", track.summary, ""]
        lines += _cards([m for m in modules if m.track == track.id], root)
    return lines


def track_page(track: curriculum.Track, modules: Modules) -> list[str]:
    """Return one track's page: its modules in order, planned modules, and the tasks."""
    mine = [m for m in modules if m.track == track.id]
    lines = [
        *front_matter({"title": track.title, "description": one_line(track.summary)}),
        f"# {track.title}",
        "",
        f'<p class="lead">{plain(track.summary)}</p>',
        "",
        *_cards(mine, "../../"),
    ]
    if planned := [name for name in track.modules if name not in {m.id for m in mine}]:
        lines += [f"Planned and not written yet: {', '.join(planned).replace('_', ' ')}.", ""]
    for module in mine:
        lines += _tasks(module)
    return [
        *lines,
        f"The [interview questions of this track](../../questions/{track.id}/index.md).",
        "",
    ]


def tier_page(tier: curriculum.Tier, modules: Modules) -> list[str]:
    """Return the page of one tier's modules, of all tracks."""
    mine = [m for m in modules if m.tier == tier]
    title = f"{tier.capitalize()} modules"
    lines = [*front_matter({"title": title, "description": title}), f"# {title}", ""]
    if not mine:
        return [*lines, "None is written yet.", ""]
    return [*lines, *_cards(mine, "../")]


def _tasks(module: curriculum.Module) -> list[str]:
    return [
        f"## [{module.title}](../../modules/{module.id}/index.md)",
        "",
        *(
            f"- [{task.title}](../../modules/{module.id}/index.md#{task.id}), {task.minutes}"
            f" minutes, {steps_of_five(task.difficulty)}"
            for task in module.tasks
        ),
        "",
    ]


def _cards(modules: Modules, root: str) -> list[str]:
    if not modules:
        return ["No module is written yet; there are questions.", ""]
    return cards([(m.title, f"{root}modules/{m.id}/index.html", _card(m)) for m in modules])


def _card(module: curriculum.Module) -> str:
    facts = (
        f"{module.tier} · about {curriculum.hours(module.tasks)} hours · {len(module.tasks)} tasks"
    )
    return f"<small>{facts}</small> {plain(module.summary)}"
