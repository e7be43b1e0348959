import ast
import base64
import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from hotloop import __version__
from hotloop.learn.pack import work_files, work_summary
from hotloop.takehome import pack_wheel
from hotloop.takehome.instructions import filled, needs, requirement
from hotloop.takehome.pack import Pack, make_pack
from hotloop.takehome.role import TakehomeRole, starting_text
from hotloop.takehome.team import AlreadyInvited, Team, TeamError
from hotloop.tasks import curriculum, markers, render
from hotloop.tasks.reference_files import sources
from hotloop.tasks.variants import Variant, draw

from .conftest import ABOUT, MADE, NAMES, PEOPLE, STRANGER, Hired

MODULES = [module.id for module in curriculum.modules()]
RECORDED = (".gz", ".npz", ".safetensors", ".sqlite")
"""Recorded data, without code."""

STARTER = {"lab.ipynb", "extension_build.py", "operator_trials.py", "softmax_triton.py"}


def contents(pack: Pack) -> dict[str, bytes]:
    with zipfile.ZipFile(pack.path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def text_of(pack: Pack) -> str:
    """Return all that a candidate can read, notebook cells as text."""
    return readable(contents(pack))


def readable(files: Mapping[str, bytes]) -> str:
    texts: list[str] = []
    for name, data in files.items():
        if name.endswith(RECORDED):
            continue
        text = data.decode()
        texts.append(text)
        if name.endswith(".ipynb"):
            cells = json.loads(text)["cells"]
            texts += ["".join(cell["source"]) for cell in cells]
    return "\n".join(texts)


def test_a_pack_has_what_it_takes_to_start(hired: Hired) -> None:
    pack = hired.packs[0]
    names = {name.removeprefix(f"{pack.pseudonym}/") for name in contents(pack)}
    assert names == {
        "INSTRUCTIONS.md",
        "instructions.html",
        "Makefile",
        "Containerfile",
        "manifest.json",
        "variant.json",
        "work_log_seen.json",
        *STARTER,
    }
    assert names - STARTER <= work_files.NOT_WORK


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_a_pack_holds_no_solution(
    module: str, whole_pack: Callable[[str], tuple[Team, Pack]]
) -> None:
    """Lines of solutions and of wrong answers that are not in the given files."""
    team, pack = whole_pack(module)
    given, public = text_of(pack), _public_text(module, team.variant(pack.manifest.pack))
    lines = {line for line in _solution_lines(module) if len(line) >= 24}
    telling = {line for line in lines if line not in public}
    assert len(telling) > 0.8 * len(lines) > 100
    in_the_variant = render.submission(module, None, team.variant(pack.manifest.pack))
    own = {line for line in _code_lines(readable(in_the_variant)) if len(line) >= 24}
    telling |= {line for line in own if line not in public}
    assert [line for line in telling if line in given] == []


def _solution_lines(module: str) -> set[str]:
    found: set[str] = set()
    for path in sources(module).values():
        try:
            pieces = markers.parse(path.read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError:
            continue
        for region in markers.regions(pieces):
            found |= _code_lines("\n".join(region.body))
    for wrong in render.wrong_answers(module):
        for body in wrong.bodies.values():
            found |= _code_lines("\n".join(body))
    return found


def _code_lines(text: str) -> set[str]:
    return {line.strip().lstrip("# ") for line in text.split("\n") if re.search(r"\w", line)}


def _public_text(module: str, variant: Variant) -> str:
    """Return the exercise's text without hints, of the course and of this variant."""
    texts = [readable(render.render(module, one)) for one in (None, variant)]
    return re.sub(r"<details>.*?</details>", "", "\n".join(texts), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_a_pack_holds_no_hidden_check(
    module: str, whole_pack: Callable[[str], tuple[Team, Pack]]
) -> None:
    team, pack = whole_pack(module)
    given, public = text_of(pack), _public_text(module, team.variant(pack.manifest.pack))
    checks = Path(render.__file__).parent / "modules"
    sources = [checks / f"{module}.py", *(checks / module).rglob("*.py")]
    searched = 0
    for source in filter(Path.is_file, sources):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and f"def {node.name}(" not in public:
                searched += 1
                assert f"def {node.name}(" not in given, node.name
        for line in source.read_text(encoding="utf-8").splitlines():
            if len(line.strip()) > 40 and line.strip() not in public:
                searched += 1
                assert line.strip() not in given
    assert searched > 200


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_no_modules_pack_holds_a_key_or_a_name(
    module: str, whole_pack: Callable[[str], tuple[Team, Pack]]
) -> None:
    team, pack = whole_pack(module)
    _require_no_secret(team, pack, STRANGER)


def test_a_pack_holds_no_key_and_no_name(hired: Hired) -> None:
    for pack in hired.packs:
        _require_no_secret(hired.team, pack, *NAMES)


def _require_no_secret(team: Team, pack: Pack, *names: str) -> None:
    held = b"".join([pack.path.read_bytes(), *contents(pack).values()])
    for secret in (team.key.signing, team.key.variants):
        forms = (secret, secret.hex().encode(), base64.b64encode(secret).rstrip(b"="))
        assert not any(form in held for form in forms)
    for name in names:
        assert not any(part.encode() in held for part in name.split(" "))


def test_a_pack_holds_no_hint_and_no_points_of_a_course(hired: Hired) -> None:
    assert "Hint:" not in text_of(hired.packs[0])
    assert "<details>" not in text_of(hired.packs[0])
    assert "difficulty" not in text_of(hired.packs[0])


def test_only_the_chosen_tasks_are_in_the_notebook(hired: Hired) -> None:
    pack = hired.packs[0]
    notebook = json.loads(contents(pack)[f"{pack.pseudonym}/lab.ipynb"])
    ids = {cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in notebook["cells"]}
    assert {"online_pass", "triton_forward", "explain"} <= ids
    assert not ids & {"triton_masked", "cuda_naive", "operator_backward", "compiled_chain"}


def test_the_manifest_speaks_of_every_file(hired: Hired) -> None:
    pack = hired.packs[0]
    held = {n.removeprefix(f"{pack.pseudonym}/"): data for n, data in contents(pack).items()}
    assert set(pack.manifest.files) == {*STARTER, "variant.json"}
    work = {name: data for name, data in held.items() if name in STARTER}
    assert held[work_summary.NAME] == work_summary.summary(work)


def test_a_variant_overlaps_little_in_what_the_role_asks(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks that the role leaves out do not count, and each earlier candidate does."""
    team = own_team.team
    shared = {
        # Twice the overlap of the last one; and the first in alphabetical order.
        "amber-otter-11": (["online_pass"], ["online_pass"]),
        "brave-heron-22": (["online_pass", "triton_forward"], []),
        "calm-wren-33": (["triton_masked", "cuda_naive", "cuda_tiled"], ["online_pass"]),
    }
    names = iter(shared)
    drawn = {draw("fused_softmax", team.key.variants, name).digest: name for name in shared}
    earlier = [pack.manifest.variant for pack in own_team.packs]

    def overlap(new: Variant, old: Variant) -> list[str]:
        return shared[drawn[new.digest]][earlier.index(old.digest)]

    monkeypatch.setattr("hotloop.tasks.variants.same_answers", overlap)
    monkeypatch.setattr("hotloop.takehome.pack.draw_pseudonym", lambda _taken: next(names))
    monkeypatch.setattr("hotloop.takehome.pack.DRAWS", len(shared))
    pack = make_pack(team, team.role("gpu_engineer"), "C. D.", now=MADE)
    assert pack.pseudonym == "calm-wren-33"


def test_what_an_earlier_candidate_was_not_given_is_not_shared(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = own_team.team
    path = team.role_path("gpu_engineer")
    path.write_text(path.read_text().replace("task: triton_forward", "task: triton_masked"))
    names = iter(["amber-otter-11", "brave-heron-22"])
    monkeypatch.setattr("hotloop.tasks.variants.same_answers", lambda *_two: ["triton_masked"])
    monkeypatch.setattr("hotloop.takehome.pack.draw_pseudonym", lambda _taken: next(names))
    pack = make_pack(team, team.role("gpu_engineer"), "C. D.", now=MADE)
    assert pack.pseudonym == "amber-otter-11"


def test_two_candidates_have_two_variants(hired: Hired) -> None:
    first, second = hired.packs
    assert first.manifest.variant != second.manifest.variant
    assert len({first.pseudonym, second.pseudonym}) == 2


def test_the_page_says_what_a_candidate_asks(hired: Hired) -> None:
    pack = hired.packs[0]
    page = contents(pack)[f"{pack.pseudonym}/INSTRUCTIONS.md"].decode()
    for said in (
        pack.pseudonym,
        "2030-01-15 12:00 UTC",
        "72 hours",
        "about 2.5 hours in all",
        "90 min | 60 %",
        "make lab",
        "make submit",
        "WORK_LOG=no",
        "leave out what it asks about the others",
        "search engines",
        "another person's code",
        "measured on a GPU",
        "Python 3.11",
        "no GPU",
        *ABOUT,
        "kept until 2030-07-14",
    ):
        assert said in page, said
    html = contents(pack)[f"{pack.pseudonym}/instructions.html"].decode()
    assert html.count("<h2>") == page.count("\n## ")
    assert "<table>" in html
    assert not re.search(r"<script|src=|https?://", html)


def test_more_time_for_one_candidate(own_team: Hired) -> None:
    role = own_team.team.role("gpu_engineer")
    pack = make_pack(own_team.team, role, "C. D.", now=MADE, accommodation=1.5)
    assert pack.manifest.window_hours == 108
    assert pack.manifest.tasks["triton_forward"].minutes == 135
    page = contents(pack)[f"{pack.pseudonym}/INSTRUCTIONS.md"].decode()
    assert "your time has been extended" in page


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x1b[31m", "a\u202eb", "a\nb", "a\0b"])
def test_a_name_that_cannot_be_shown_is_refused(own_team: Hired, name: str) -> None:
    before = len(own_team.team.packs())
    role = own_team.team.role("gpu_engineer")
    with pytest.raises(TeamError):
        make_pack(own_team.team, role, name, now=MADE)
    assert len(own_team.team.packs()) == before


def test_a_title_with_signs_of_html_stays_text(own_team: Hired) -> None:
    path = own_team.team.role_path("gpu_engineer")
    path.write_text(path.read_text().replace("title: GPU", "title: <img src=x onerror=y> GPU"))
    role = own_team.team.role("gpu_engineer")
    pack = make_pack(own_team.team, role, "C. D.", now=MADE)
    html = contents(pack)[f"{pack.pseudonym}/instructions.html"].decode()
    assert "<img" not in html


def test_the_ways_to_start_name_what_is_installed(
    hired: Hired, unpack: Callable[[Pack], Path]
) -> None:
    folder = unpack(hired.packs[0])
    for name in ("Makefile", "Containerfile"):
        assert f"hotloop[course]=={__version__}" in (folder / name).read_text()
    for target in ("lab", "status", "submit", "container"):
        done = subprocess.run(["make", "-n", target], check=False, cwd=folder, capture_output=True)
        assert done.returncode == 0, done.stderr
    # These tests may be run by make, which sets variables for its children.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    said = subprocess.run(
        ["make"], check=True, cwd=folder, capture_output=True, text=True, env=plain
    ).stdout
    assert [line.split()[0] for line in said.splitlines()] == [
        "help",
        "lab",
        "status",
        "submit",
        "container",
    ]


@pytest.mark.slow
def test_a_compiler_is_named_where_a_check_needs_one(
    hired: Hired, whole_pack: Callable[[str], tuple[Team, Pack]]
) -> None:
    _, whole = whole_pack("fused_softmax")
    assert any("g++" in one for one in needs(whole.manifest))
    assert not any("g++" in one for one in needs(hired.packs[0].manifest))


@pytest.mark.slow
def test_what_nobody_could_pass_is_not_asked(own_team: Hired) -> None:
    team = own_team.team
    path = team.role_path("gpu_engineer")
    path.write_text(
        "format: 1\nrole: gpu_engineer\ntitle: x\nmodule: profile_training_loop\n"
        f"tasks: [{{task: read_trace, weight: 1}}]\nwindow_hours: 72\nexpires: 14\n{PEOPLE}"
    )
    says = r"read_trace goes on from what instrument makes: ask for both, or for neither\."
    with pytest.raises(TeamError, match=says):
        make_pack(team, team.role("gpu_engineer"), "C. D.", now=MADE)
    path.write_text(path.read_text().replace("tasks: [", "tasks: [{task: instrument, weight: 1}, "))
    assert make_pack(team, team.role("gpu_engineer"), "C. D.", now=MADE).manifest.tasks.keys() == {
        "instrument",
        "read_trace",
    }


@pytest.mark.slow
@pytest.mark.parametrize(("words", "has_log"), [((), True), (("WORK_LOG=no",), False)])
def test_make_hands_in_with_the_log_or_without(
    hired: Hired, unpack: Callable[[Pack], Path], words: tuple[str, ...], has_log: bool
) -> None:
    """With the packages that `make lab` would install: a test downloads nothing."""
    folder = unpack(hired.packs[0])
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    (tools / "hotloop").write_text(f'#!/bin/sh\nexec {sys.executable} -m hotloop.cli "$@"\n')
    (tools / "hotloop").chmod(0o755)
    (folder / ".venv" / ".ready").touch()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    subprocess.run(["make", "submit", *words], check=True, cwd=folder, env=plain)
    (path,) = folder.glob("submission-*.zip")
    with zipfile.ZipFile(path) as archive:
        assert ("work_log.jsonl" in archive.namelist()) is has_log


def test_in_the_container_nothing_is_installed_again(
    hired: Hired, unpack: Callable[[Pack], Path]
) -> None:
    folder = unpack(hired.packs[0])
    (setting,) = re.findall(r"HOTLOOP_INSTALLED=1", (folder / "Containerfile").read_text())
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "-n", "submit", setting],
        check=True,
        cwd=folder,
        capture_output=True,
        text=True,
        env=plain,
    )
    assert done.stdout.split() == ["/usr/local/bin/hotloop", "takehome", "submit"]


def test_a_module_that_needs_more_says_so(own_team: Hired) -> None:
    path = own_team.team.role_path("gpu_engineer")
    path.write_text(
        starting_text("gpu_engineer", "x", curriculum.load_module("tvm_passes"), about=ABOUT)
    )
    assert requirement(own_team.team.role("gpu_engineer")).startswith("hotloop[course,")


def test_a_team_can_name_its_own_hotloop(own_team: Hired) -> None:
    path = own_team.team.role_path("gpu_engineer")
    path.write_text(path.read_text() + "install: hotloop[course] @ git+https://example.org/h.git\n")
    role = own_team.team.role("gpu_engineer")
    assert "'hotloop[course] @ git+https://example.org/h.git'" in filled("Containerfile", role)
    assert "HOTLOOP ?= hotloop[course] @ git+https://example.org/h.git\n" in filled(
        "Makefile", role
    )


def with_wheel(
    hired: Hired, *members: str, name: str = f"hotloop-{__version__}-py3-none-any.whl"
) -> TakehomeRole:
    """Return the role with a wheel in the team's folder that has these files."""
    with zipfile.ZipFile(hired.team.folder / name, "w") as archive:
        for member in members:
            archive.writestr(member, "")
    path = hired.team.role_path("gpu_engineer")
    path.write_text(path.read_text() + f"wheel: {name}\n")
    return hired.team.role("gpu_engineer")


@pytest.mark.slow
def test_a_wheel_travels_in_the_pack_and_is_what_is_installed(
    own_team: Hired, unpack: Callable[[Pack], Path]
) -> None:
    role = with_wheel(own_team, "hotloop/__init__.py")
    folder = unpack(make_pack(own_team.team, role, "C. D.", now=MADE))
    with zipfile.ZipFile(folder / str(role.wheel)) as wheel:
        assert wheel.namelist() == ["hotloop/__init__.py"]
    asked = f"./{role.wheel}[course]"
    done = subprocess.run(["make", "-n", "lab"], check=True, cwd=folder, capture_output=True)
    assert f"pip install --quiet '{asked}'" in done.stdout.decode()
    image = (folder / "Containerfile").read_text()
    assert f"COPY {role.wheel} ./\nRUN pip install --no-cache-dir '{asked}'\n" in image
    page = (folder / "INSTRUCTIONS.md").read_text()
    assert f"Hotloop itself is in this folder, `{role.wheel}`" in page
    assert not [name for name in work_files.read(folder) if name.endswith(".whl")]
    assert not [name for name in work_files.left_out(folder) if name.endswith(".whl")]


def test_the_wheel_in_a_pack_has_no_model_answers(
    own_team: Hired, unpack: Callable[[Pack], Path]
) -> None:
    """And its RECORD, by which pip installs, does not name them."""
    info = f"hotloop-{__version__}.dist-info"
    answers = (
        "hotloop/takehome/code_questions.yaml",
        "hotloop/_data/curriculum/fused_softmax/questions.yaml",
        "hotloop/_data/curriculum/fused_softmax/questions.zh.yaml",
        "hotloop/_data/curriculum/questions/gpu.yaml",
    )
    others = ("hotloop/__init__.py", "hotloop/_data/curriculum/fused_softmax/lesson.md")
    role = with_wheel(own_team, *answers, *others, f"{info}/RECORD")
    path = own_team.team.folder / str(role.wheel)
    rows = "".join(f'"{name}",sha256=x,0\n' for name in (*answers, *others))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\n")
    before = path.read_bytes()
    record = f"{rows}{info}/RECORD,,\n"
    stripped = pack_wheel.without_answers(_with(before, f"{info}/RECORD", record))
    with zipfile.ZipFile(io.BytesIO(stripped)) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {*others, f"{info}/WHEEL", f"{info}/RECORD"}
        listed = [
            row[0] for row in csv.reader(io.StringIO(archive.read(f"{info}/RECORD").decode()))
        ]
    assert listed == [*others, f"{info}/RECORD"]
    folder = unpack(make_pack(own_team.team, role, "C. D.", now=MADE))
    with zipfile.ZipFile(folder / str(role.wheel)) as archive:
        assert not set(answers) & set(archive.namelist())
    assert path.read_bytes() == before


def _with(wheel: bytes, name: str, text: str) -> bytes:
    """Return the wheel with another text in one of its files."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(wheel)) as old, zipfile.ZipFile(written, "w") as new:
        for entry in old.infolist():
            new.writestr(entry, text if entry.filename == name else old.read(entry))
    return written.getvalue()


def test_without_a_wheel_the_instructions_say_what_pip_looks_for(
    hired: Hired, unpack: Callable[[Pack], Path]
) -> None:
    folder = unpack(hired.packs[0])
    page = (folder / "INSTRUCTIONS.md").read_text()
    assert f"pip gets `hotloop[course]=={__version__}`. The team has tried" in page
    assert "@" not in (folder / "Containerfile").read_text()
    assert not list(folder.glob("*.whl"))


@pytest.mark.parametrize(
    ("members", "name", "said"),
    [
        (("hotloop/_data/solutions/m/lab.py",), f"hotloop-{__version__}", "holds the solutions"),
        (("hotloop/__init__.py",), "hotloop-0.0.0", "is not of version"),
    ],
)
def test_a_wheel_that_no_candidate_should_have_makes_no_pack(
    own_team: Hired, members: tuple[str, ...], name: str, said: str
) -> None:
    role = with_wheel(own_team, *members, name=f"{name}-py3-none-any.whl")
    with pytest.raises(TeamError, match=said):
        make_pack(own_team.team, role, "C. D.", now=MADE)
    assert len(own_team.team.packs()) == 2


def test_a_wheel_that_is_not_there_or_none_makes_no_pack(own_team: Hired) -> None:
    role = with_wheel(own_team)
    wheel = own_team.team.folder / str(role.wheel)
    wheel.write_bytes(b"no zip")
    with pytest.raises(TeamError, match="There is no wheel"):
        make_pack(own_team.team, role, "C. D.", now=MADE)
    wheel.unlink()
    with pytest.raises(TeamError, match="There is no wheel"):
        make_pack(own_team.team, role, "C. D.", now=MADE)


def test_a_role_whose_date_is_over_makes_no_pack(own_team: Hired) -> None:
    path = own_team.team.role_path("gpu_engineer")
    path.write_text(path.read_text().replace("expires: 14", "expires: 2029-12-30"))
    line = path.read_text().splitlines().index("expires: 2029-12-30") + 1
    said = rf"takehome.yaml:{line}: `expires: 2029-12-30` lasts until 2029-12-31 00:00 UTC, "
    with pytest.raises(TeamError, match=said):
        make_pack(own_team.team, own_team.team.role("gpu_engineer"), "C. D.", now=MADE)


@pytest.mark.slow
def test_packs_that_are_made_at_once_are_two(own_team: Hired) -> None:
    role = own_team.team.role("gpu_engineer")
    made: list[Pack] = []

    def make(name: str) -> None:
        made.append(make_pack(own_team.team, role, name, now=MADE))

    makers = [threading.Thread(target=make, args=(name,)) for name in ("C. D.", "E. F.")]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len({pack.pseudonym for pack in made}) == 2
    assert len(own_team.team.packs()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", [NAMES[0], f" {NAMES[0].upper()} ", NAMES[0].replace(" ", "  ")])
def test_one_person_gets_no_second_pack_by_mistake(own_team: Hired, name: str) -> None:
    team, role = own_team.team, own_team.team.role("gpu_engineer")
    with pytest.raises(AlreadyInvited) as refused:
        make_pack(team, role, name, now=MADE, who="vera")
    assert len(team.packs()) == 2
    noted = team.audited()[-1].document
    assert (noted["who"], "made no pack" in noted["what"]) == ("vera", True)
    for told in (str(refused.value), noted["what"]):
        assert not any(pack.pseudonym in told for pack in own_team.packs)
        assert "Ada" not in told
    meant = make_pack(team, role, name, now=MADE, again=True)
    assert len(team.packs()) == 3
    assert meant.pseudonym not in {pack.pseudonym for pack in own_team.packs}


@pytest.mark.slow
def test_another_role_is_no_second_pack(own_team: Hired) -> None:
    path = own_team.team.role_path("intern")
    path.parent.mkdir()
    role = own_team.team.role_path("gpu_engineer").read_text()
    path.write_text(role.replace("role: gpu_engineer", "role: intern"))
    make_pack(own_team.team, own_team.team.role("intern"), NAMES[0], now=MADE)
    assert len(own_team.team.packs()) == 3


@pytest.mark.slow
def test_who_was_forgotten_or_cannot_be_read_is_no_reason_to_refuse(own_team: Hired) -> None:
    team, role = own_team.team, own_team.team.role("gpu_engineer")
    first, second = own_team.packs
    team.forget(first.manifest.pack, "vera")
    (team.folder / "candidates" / second.pseudonym).write_bytes(b"damaged")
    for name in NAMES:
        make_pack(team, role, name, now=MADE)
    assert len(team.packs()) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["محمد\u200cرضا", "क\u094d\u200dष"])
def test_names_are_spelled_with_joiners(own_team: Hired, name: str) -> None:
    role = own_team.team.role("gpu_engineer")
    pack = make_pack(own_team.team, role, name, now=MADE)
    own_team.team.report_folder(pack.manifest.pack)
    own_team.team.scorecard_path(pack.manifest.pack).write_text("{}")
    assert own_team.team.reveal(pack.manifest.pack, "vera") == unicodedata.normalize("NFC", name)


@pytest.mark.slow
def test_more_time_is_more_time_for_who_begins_late(own_team: Hired) -> None:
    """If the window ended with the pack, the candidate with more time would not get it."""
    role = own_team.team.role("gpu_engineer")
    plain, longer = (
        make_pack(own_team.team, role, "Ada", now=MADE, accommodation=factor, again=True).manifest
        for factor in (1.0, 2.0)
    )
    late = plain.expires - timedelta(hours=role.window_hours)
    assert plain.deadline(late) - late == timedelta(hours=72)
    assert longer.deadline(late) - late == timedelta(hours=144)
    assert longer.window_hours == 144
    assert {t: m.minutes for t, m in longer.tasks.items()} == {
        t: 2 * m.minutes for t, m in plain.tasks.items()
    }
