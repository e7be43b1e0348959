"""The report is about the work: its lines, the judge's messages on them, and questions on them."""

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core.intervals import Interval
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.takehome import assistants, code_questions, code_shown, scorecard
from hotloop.takehome.pack import make_pack
from hotloop.takehome.report import CheckReport, CodeShown, TakehomeReport
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.report_page import page
from hotloop.takehome.team import Team
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module

from .conftest import MADE, ROLE, Hired
from .made_reports import MODULE, all_of, as_given, check, handed_in, record, with_cell

CUDA_ROLE = ROLE.replace("role: gpu_engineer", "role: cuda_engineer").replace(
    "  - {task: triton_forward, weight: 3, minutes: 90}\n", "  - {task: cuda_block, weight: 3}\n"
)
FILE = "softmax.cu"
RACE = f"{FILE}:12 and {FILE}:14: a race in shared memory, written and read without a barrier"
CELL = "def online(x):\n    return x.item()\n"

Change = Callable[[dict[str, bytes]], None]
Graded = Callable[..., TakehomeReport]


@pytest.fixture(scope="module")
def graded(hired: Hired, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """Returns a function that reports on a candidate of a CUDA role, from the test's records."""
    folder = tmp_path_factory.mktemp("graded")
    team = Team(Path(shutil.copytree(hired.team.folder, folder / "team")))

    def on(
        name: str, change: Change = lambda _files: None, *records: Record, assistants: str = ""
    ) -> TakehomeReport:
        path = team.role_path("cuda_engineer")
        path.parent.mkdir(exist_ok=True)
        path.write_text(CUDA_ROLE + assistants)
        pack = make_pack(team, team.role("cuda_engineer"), name, now=MADE)
        submission = handed_in(team, pack, folder / name, change)
        found = {"online_pass": all_of("online_pass"), "cuda_block": all_of("cuda_block")}
        found |= {one.task: one for one in records}
        return make_report(submission, team, as_given(found, submission, team))

    return on


def without_barriers(files: dict[str, bytes]) -> None:
    files[FILE] = files[FILE].replace(b"__syncthreads();", b"")


def other_cell(files: dict[str, bytes]) -> None:
    files["lab.ipynb"] = with_cell(files["lab.ipynb"], "online_pass_solution", CELL)


SKIPPED = [
    check(name, Verdict.WRONG_ANSWER, sentence="Skipped until clean passes.")
    for name in ("traffic", "compiles", "gpu_correct")
]
RACED = record(
    "cuda_block",
    [check("correct"), check("clean", Verdict.WRONG_ANSWER, sentence=RACE), *SKIPPED],
)
RAISED = record(
    "online_pass",
    [check("correct", Verdict.RUNTIME_ERROR, sentence="RuntimeError in line 2 of its cell.")],
)


@pytest.fixture(scope="module")
def three(graded: Graded) -> dict[str, TakehomeReport]:
    return {
        "right": graded("right"),
        "race": graded("race", without_barriers, RACED),
        "broken": graded("broken", other_cell, RAISED),
    }


@pytest.mark.slow
def test_three_candidates_get_three_lists(three: dict[str, TakehomeReport]) -> None:
    asked = {name: [one.key for one in report.follow_ups] for name, report in three.items()}
    assert all(len(keys) == len(set(keys)) == 6 for keys in asked.values()), asked
    assert len({frozenset(keys) for keys in asked.values()}) == 3, asked


@pytest.mark.slow
def test_the_first_question_is_about_the_lines_that_lost_points(
    three: dict[str, TakehomeReport],
) -> None:
    first = three["race"].follow_ups[0]
    assert first.key == "cuda_block.clean"
    assert RACE in first.prompt
    lines = three["race"].task("cuda_block").code[0].lines
    assert f"▶  12  {lines[11]}" in first.code
    assert "▶  13" not in first.code
    raised = three["broken"].follow_ups[0]
    assert (raised.key, raised.where) == ("online_pass.correct", "lab.ipynb · online_pass")
    assert "▶   2      return x.item()" in raised.code


def test_a_race_brings_the_banks_questions_on_races(three: dict[str, TakehomeReport]) -> None:
    about = {"races_that_sanitizers_miss", "volatile_is_no_barrier"}
    asked = {
        name: {one.key.partition(".")[2] for one in report.follow_ups if not one.code}
        for name, report in three.items()
    }
    assert asked["race"] & about, asked
    assert "barrier" in " ".join(one.why for one in three["race"].follow_ups)


def test_own_questions_quote_own_lines(three: dict[str, TakehomeReport]) -> None:
    """Another candidate's list would be wrong for this one."""
    for report in three.values():
        for one in report.follow_ups:
            if not one.code:
                continue
            written = [line for task in report.tasks for c in task.code for line in c.lines]
            for quoted in one.code.splitlines():
                assert quoted[7:] in written
    barriers = [one for one in three["race"].follow_ups if one.key.endswith(".barrier")]
    assert barriers == []


def test_a_question_stands_under_the_task_whose_line_it_quotes(graded: Graded) -> None:
    """A candidate who writes over the headings of a shared file, which is the usual way."""

    def without_headings(files: dict[str, bytes]) -> None:
        lines = files[FILE].split(b"\n")
        files[FILE] = b"\n".join(line for line in lines if b"### TASK" not in line)

    report = graded("over", without_headings)
    shown = report.task("cuda_block").code[0]
    text = "\n".join(shown.lines[n - 1] for n in shown.added)
    assert "__syncthreads();" in text
    assert "blockIdx.x * blockDim.x + threadIdx.x" not in text
    naive = load_module(MODULE).task("cuda_naive")
    files = {FILE: "\n".join(shown.lines).encode()}
    starter = {FILE: render.untouched(MODULE)[FILE]}
    (other,) = code_shown.of_task(naive, files, starter, [])
    assert not any("__syncthreads" in other.lines[n - 1] for n in other.added)
    assert not set(other.added) & set(shown.added)


# --- the code -------------------------------------------------------------------------------------


def report_of(sentence: str) -> CheckReport:
    return CheckReport(
        check="correct",
        what="Right.",
        skill="right",
        verdict=Verdict.WRONG_ANSWER,
        sentence=sentence,
        counted=True,
        points=Interval.exactly(0),
        possible=1,
    )


def shown(sentence: str, own: str, starter: str = "a\nb\n", file: str = FILE) -> CodeShown:
    task = load_module(MODULE).task("cuda_block")
    files, given = {file: own.encode()}, {FILE: starter.encode()}
    (found,) = code_shown.of_task(task, files, given, [report_of(sentence)])
    return found


def test_what_is_new_and_what_is_gone_is_told_apart() -> None:
    found = shown("", "a\nc\nd\n")
    assert (found.added, found.removed) == ([2, 3], {2: ["b"]})
    rows = [(row.kind, row.number, row.text) for row in code_shown.rows(found)]
    assert rows == [
        ("given", 1, "a"),
        ("removed", None, "b"),
        ("added", 2, "c"),
        ("added", 3, "d"),
    ]


def test_untouched_lines_are_folded_and_cited_ones_are_not() -> None:
    starter = "".join(f"line {n}\n" for n in range(1, 101))
    found = shown(f"{FILE}:50: wrong.", starter, starter)
    assert found.added == []
    rows = code_shown.rows(found)
    assert [row.number for row in rows if row.number] == list(range(47, 54))
    assert [row.text for row in rows if row.kind == "folded"] == [
        "46 lines as handed out",
        "47 lines as handed out",
    ]
    assert [row.number for row in rows if row.checks == ("correct",)] == [50]


def test_the_parts_of_other_tasks_are_put_aside() -> None:
    """A helper between two functions belongs to its caller, and is shown."""
    starter = (
        "__global__ void naive() {\n  // ### TASK fused_softmax.cuda_naive\n}\n"
        "__global__ void block() {\n  // ### TASK fused_softmax.cuda_block\n}\n"
    )
    own = starter.replace("naive\n}\n", "naive\n  a();\n}\nint helper;\n").replace(
        "block\n}", "block\n  b();\n}"
    )
    helpers = "// ### TASK fused_softmax.cuda_warp helpers\n"
    starter, own = starter + helpers, own + helpers + "struct Part {\n};\n"
    found = shown("", own, starter)
    assert [found.lines[n - 1].strip() for n in found.added] == ["int helper;", "b();"]
    assert [found.lines[n - 1].strip() for n in found.elsewhere] == [
        "a();",
        "struct Part {",
        "};",
    ]


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        (f"{FILE}:1 and {FILE}:3: a race.", [1, 3]),
        (f"{FILE}, line 2: error.", [2]),
        (f"{FILE}:4: beyond the end.", []),
        ("other.cu:1: another file.", []),
        ("line 1 of its cell", []),
        ("Row 1 differs.", []),
    ],
)
def test_lines_are_those_that_the_sentence_names(sentence: str, lines: list[int]) -> None:
    assert shown(sentence, "a\nb\nc\n").cited.get("correct", []) == lines


def test_a_file_that_was_added_is_shown_whole() -> None:
    task = load_module(MODULE).task("cuda_block")
    files = {FILE: b"a\n", "helpers.cuh": b"x\ny\n", "notes.md": b"no code"}
    found = code_shown.of_task(task, files, {FILE: b"a\n"}, [])
    assert [(one.name, one.added) for one in found] == [(FILE, []), ("helpers.cuh", [1, 2])]


def test_the_page_marks_the_lines_beside_the_checks(three: dict[str, TakehomeReport]) -> None:
    text = page(three["race"])
    assert re.search(r'class="\w+ cited"><i>12</i>.*<mark>◀ clean</mark>', text)
    assert "marked: clean 12, 14" in text
    assert '<span class="removed">' in text
    assert "cited" not in page(three["right"]).split("</style>")[1]


@pytest.mark.slow
def test_code_is_text(graded: Graded) -> None:
    def hostile(files: dict[str, bytes]) -> None:
        files[FILE] += b"// </pre><script>alert(1)</script>\n"

    text = page(graded("hostile", hostile))
    assert "<script>" not in text
    assert "&lt;/pre&gt;&lt;script&gt;" in text


def test_each_question_on_code_finds_what_it_is_about() -> None:
    """A pattern that matches nothing, or its own absence, would ask nobody or everybody."""
    examples = {
        "barrier": "__syncthreads();",
        "shuffle": "x += __shfl_xor_sync(mask, x, 1);",
        "shared_memory": "__shared__ float part[32];",
        "vector_access": "float4 v = in[i];",
        "atomic": "atomicAdd(out, x);",
        "volatile": "volatile float* p = part;",
        "mask": "x = tl.load(p, mask=inside)",
        "other_value": "x = tl.load(p, m, other=0.0)",
        "accumulator": "x = x.to(tl.float32)",
        "block_size": "BLOCK = 1024",
        "kernel_loop": "for start in range(0, n, 128):",
        "compiled": "f = torch.compile(f)",
        "host_sync": "n = x.sum().item()",
        "copied_layout": "x = x.contiguous()",
        "branch": "if n > 4:",
        "helper": "def combine(a, b):",
    }
    assert {one.id for one in code_questions.known()} == examples.keys()
    for one in code_questions.known():
        assert re.search(one.find, examples[one.id])
        assert not re.search(one.find, "y = a + b;")


# --- assistants -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_notes_are_shown_and_marked_where_assistants_are_expected(graded: Graded) -> None:
    def notes(files: dict[str, bytes]) -> None:
        files[assistants.NOTES] = b"It forgot a barrier. <b>I checked 257 columns.</b>"

    report = graded("notes", notes, assistants="assistants: expected\n")
    assert [note.name for note in report.assistants.notes] == [assistants.NOTES]
    text = page(report)
    assert "&lt;b&gt;I checked 257 columns." in text
    assert assistants.RUBRIC[4] in text
    criteria = {one.key: one for one in scorecard.criteria(report)}
    assert criteria["assistants"].rubric == assistants.RUBRIC
    assert not criteria["assistants"].counts


@pytest.mark.slow
def test_the_empty_form_is_nothing_handed_in(graded: Graded) -> None:
    report = graded("empty", assistants="assistants: expected\n")
    assert report.submission.handed_in.count(assistants.NOTES) == 1
    assert report.assistants.notes == []
    assert "which costs nothing: ask" in page(report)


@pytest.mark.slow
def test_where_they_are_not_expected_nothing_is_asked(graded: Graded) -> None:
    report = graded("declared")
    assert "assistants" not in [one.key for one in scorecard.criteria(report)]
    assert 'id="assistants"' not in page(report)


@pytest.mark.slow
def test_a_transcript_is_taken_along(graded: Graded) -> None:
    def transcript(files: dict[str, bytes]) -> None:
        files["assistant/chat.json"] = b'[{"role": "user", "content": "Where is the race?"}]'

    report = graded("transcript", transcript, assistants="assistants: expected\n")
    assert [note.name for note in report.assistants.notes] == ["assistant/chat.json"]
    assert "Where is the race?" in page(report)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("forbidden", "Please work without them"),
        ("declared", "Say in the notebook, in a sentence or two, what for"),
        ("expected", "What counts is how you steer it"),
    ],
)
def test_a_pack_says_what_holds_for_assistants(own_team: Hired, rule: str, says: str) -> None:
    path = own_team.team.role_path("gpu_engineer")
    path.write_text(f"{ROLE}assistants: {rule}\n")
    pack = make_pack(own_team.team, own_team.team.role("gpu_engineer"), "E. F.", now=MADE)
    with zipfile.ZipFile(pack.path) as archive:
        text = archive.read(f"{pack.pseudonym}/INSTRUCTIONS.md").decode()
        has_form = f"{pack.pseudonym}/{assistants.NOTES}" in archive.namelist()
    assert says in text
    assert has_form == (rule == "expected")
