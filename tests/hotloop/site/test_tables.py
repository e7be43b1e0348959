"""Tables of runs and of the judge's own figures show recorded values only."""

import json
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.site import benchmarks, markdown, result_charts, runs
from hotloop.tasks import curriculum, figures


def test_without_a_gpu_run_the_page_says_not_yet_measured() -> None:
    assert "On a GPU: not yet measured." in runs.section([])


@pytest.mark.slow
def test_a_lesson_tells_speeds_and_leaves_the_other_verdicts_to_the_modules_page() -> None:
    found = curriculum.runs("fused_softmax")
    assert "| reference | online_pass | correct |" in runs.section(found)
    assert "| reference | compiled_chain | fast_cpu |" in runs.section(found, speeds_only=True)
    assert "| correct |" not in runs.section(found, speeds_only=True)


@pytest.mark.slow
def test_a_run_that_is_older_than_the_code_says_so() -> None:
    [run, *_] = curriculum.runs("fused_softmax")
    older = run.model_copy(update={"code": "0123456789abcdef"})
    assert "**Older than the code.**" in runs.section([older], speeds_only=True)
    assert "**Older than the code.**" not in runs.section(
        [run.model_copy(update={"code": None})], speeds_only=True
    )


def test_a_benchmark_without_a_result_says_so(tmp_path: Path) -> None:
    script = tmp_path / "speed.py"
    script.write_text('"""How fast?\n\nMore words.\n"""\n\n\ndef main() -> None: ...\n')
    page = benchmarks.page(tmp_path)
    assert runs.NOT_MEASURED in page
    _, _, folded = page.partition('??? abstract "How it is measured"\n')
    assert "    `python tests/benchmarks/speed.py`\n\n    More words." in folded
    (tmp_path / "results").mkdir()
    result = {"device": "D", "date": "2026-01-01", "rows": [{"true_ratio": 0.9, "wrong": 0}]}
    (tmp_path / "results" / "speed.json").write_text(json.dumps(result))
    page = benchmarks.page(tmp_path)
    assert runs.NOT_MEASURED not in page
    assert "- true ratio 0.9\n- wrong 0\n" in page


def tables(folder: Path, rows: list[dict[str, object]]) -> list[str]:
    """Return the lines of the table that the page shows for a result's rows."""
    (folder / "speed.py").write_text('"""How fast?"""\n\n\ndef main() -> None: ...\n')
    (folder / "results").mkdir(exist_ok=True)
    result = {"device": "D", "date": "2026-01-01", "rows": rows}
    (folder / "results" / "speed.json").write_text(json.dumps(result))
    return [line for line in benchmarks.page(folder).splitlines() if line.startswith("|")]


def test_columns_have_units_and_rows_have_names(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"scenario": "rush", "waited_p50_min": 3.5, "ours_s_a_submission": 0.5, "ms_per_step": 7},
        {"scenario": "calm", "waited_p50_min": 1, "ms_per_step": 8, "within_10_min": 0.5},
    ]
    head, _, first, second = tables(tmp_path, rows)
    columns = "waited p50 (min) | ours a submission (s) | time per step (ms) | within 10 min"
    assert head == f"| scenario | {columns} |"
    assert first == "| **rush** | 3.5 | 0.5 | 7 | – |"
    assert second == "| **calm** | 1 | – | 8 | 0.5 |"


def test_rows_without_a_name_are_numbered(tmp_path: Path) -> None:
    head, _, *rows = tables(tmp_path, [{"time_difference": 0.5}, {"time_difference": 0.25}])
    assert head == "| row | time difference |"
    assert rows == ["| **1** | 0.5 |", "| **2** | 0.25 |"]


def test_every_recorded_table_names_its_rows_and_no_column_ends_in_a_bare_unit() -> None:
    page = benchmarks.page(paths.root() / "tests" / "benchmarks")
    lines = [line.strip() for line in page.splitlines() if line.strip().startswith("|")]
    heads = [lines[n - 1] for n, line in enumerate(lines) if line.startswith("| --- |")]
    assert len(heads) > 10
    for head in heads:
        assert not [cell for cell in head.split("|") if cell.split()[-1:] in (["s"], ["ms"])]
    rows = [line for line in lines if line not in heads and not line.startswith("| --- |")]
    assert all(row.startswith("| **") for row in rows)


def test_a_long_result_opens_by_a_click(tmp_path: Path) -> None:
    (tmp_path / "speed.py").write_text('"""How fast?"""\n\n\ndef main() -> None: ...\n')
    (tmp_path / "results").mkdir()
    rows = [{"n": n} for n in range(benchmarks.MOST_ROWS + 1)]
    for shown, folded in ((rows[1:], False), (rows, True)):
        result = {"device": "D", "date": "2026-01-01", "rows": shown}
        (tmp_path / "results" / "speed.json").write_text(json.dumps(result))
        page = benchmarks.page(tmp_path)
        assert (f'??? note "What it recorded: {len(rows)} rows"' in page) == folded
        assert ("    | **9** | 8 |" in page) == folded


def test_a_result_is_drawn_with_the_rows_that_its_chart_is_of() -> None:
    chart = result_charts.CHARTS["class_simulation"]
    rows = [
        {"scenario": "deadline", "lease": lease, "gpus": n, "waited_p95_min": 10.0 / n}
        for lease in ("device", "none")
        for n in (1, 4)
    ]
    picture = "\n".join(result_charts.figure("class_simulation", rows))
    assert picture.count('class="bar"') == 2
    assert ">2.5</text>" in picture
    assert chart.title in picture
    assert result_charts.figure("class_simulation", rows[2:]) == []
    assert result_charts.figure("mutants", rows) == []


@pytest.mark.parametrize("name", result_charts.CHARTS)
def test_every_chart_has_its_result(name: str) -> None:
    path = paths.root() / "tests" / "benchmarks" / "results" / f"{name}.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert "<svg" in "".join(result_charts.figure(name, rows))


def test_a_result_that_does_not_say_where_it_is_from_is_refused(tmp_path: Path) -> None:
    (tmp_path / "speed.py").write_text('"""How fast?"""\n\n\ndef main() -> None: ...\n')
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "speed.json").write_text(json.dumps({"rows": [{"wrong": 0}]}))
    with pytest.raises(ValueError, match="device"):
        benchmarks.page(tmp_path)


def test_figures_of_a_benchmark_stand_in_pages(tmp_path: Path) -> None:
    result = {"device": "D", "date": "2026-01-01", "wait": {"median_s": 12.25, "as_asked": True}}
    (tmp_path / "speed.json").write_text(json.dumps(result))
    text = "It takes {{ benchmark speed wait.median_s }} s: {{ benchmark speed wait.as_asked }}."
    assert benchmarks.insert(text, tmp_path, "page.md") == "It takes 12.25 s: yes."
    for none in ("speed order.turns", "other wait.median_s"):
        figure = f"{{{{ benchmark {none} }}}}"
        assert benchmarks.insert(figure, tmp_path, "page.md") == "not yet measured"
    for wrong in ("speed wait.p20_s", "speed wait.median_s.x"):
        with pytest.raises(figures.FigureError, match=r"page\.md"):
            benchmarks.insert(f"{{{{ benchmark {wrong} }}}}", tmp_path, "page.md")
    (tmp_path / "speed.py").write_text('"""How fast?"""\n\n\ndef main() -> None: ...\n')
    (tmp_path / "results").mkdir()
    (tmp_path / "speed.json").rename(tmp_path / "results" / "speed.json")
    assert "- wait: median 12.25 s; as asked yes." in benchmarks.page(tmp_path)


def test_code_with_fences_in_it_stays_whole() -> None:
    assert markdown.fenced("```\nx\n```")[0] == "```` { .text }"
    assert markdown.table(("a",), [("x|y",)])[2] == "| x\\|y |"
