"""All recorded measurements of the modules, device by device, with rooflines."""

from collections.abc import Sequence

from hotloop.site import plots
from hotloop.site.markdown import front_matter, prose, table
from hotloop.tasks import curriculum
from hotloop.tasks.recorded import NOT_MEASURED_HERE, freshness, recorded

_STANDING = {"current": "current", "older": "older than the code", "unknown": "without a digest"}


def page(modules: Sequence[curriculum.Module]) -> list[str]:
    """Return the page: one roofline per device, and which modules were measured on it."""
    runs = {module.id: recorded(module.id) for module in modules}
    devices = sorted({name for runs_of in runs.values() for name in runs_of})
    lines = [
        *front_matter({"title": "Measured results"}),
        "# Measured results",
        "",
        prose(
            "What the judge measured of the reference solutions and of plausible wrong answers.",
            "Each file is written by `hotloop author evidence MODULE`; no number on these pages",
            "is written by hand. A run has a digest of the code that it measured: “older than the",
            "code” means that solutions or checks have changed since.",
        ),
        "",
    ]
    for device in devices:
        mine = {name: runs_of[device] for name, runs_of in runs.items() if device in runs_of}
        shown = next(iter(mine.values())).device
        lines += [f"## {shown}", "", *plots.roofline(mine, shown), *_where(modules, mine), ""]
    if not any(run.kind == "gpu" for runs_of in runs.values() for run in runs_of.values()):
        lines += ["## On a GPU", "", f"Of every module: {NOT_MEASURED_HERE}.", ""]
    return lines


def _where(
    modules: Sequence[curriculum.Module], runs: dict[str, curriculum.RecordedRun]
) -> list[str]:
    rows: list[tuple[object, ...]] = []
    for module in modules:
        link = f"[{module.title}](modules/{module.id}/index.md#measured)"
        run = runs.get(module.id)
        if run is None:
            rows.append((link, NOT_MEASURED_HERE, "", "", ""))
            continue
        date = f'<span class="date">{run.date}</span>'
        speeds = sum(m.ratio is not None for m in run.measurements)
        rows.append((link, date, len(run.measurements), speeds, _STANDING[freshness(run)]))
    heads = ("module", "recorded", "verdicts", "of speed", "against today's code")
    return table(heads, rows)
