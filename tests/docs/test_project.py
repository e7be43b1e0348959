"""What a public project has at its root and at its host agrees with the repository."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HOST = ROOT / ".github"
FORMS = sorted(HOST.glob("ISSUE_TEMPLATE/*.yml"))
TEXTS = [ROOT / "SECURITY.md", *sorted(ROOT.glob("C*.md")), *sorted(HOST.rglob("*.*"))]


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_hosted_ci_runs_what_ci_runs_and_nothing_else() -> None:
    """The one other command lets the sandbox make namespaces."""
    (job,) = loaded(HOST / "workflows" / "ci.yml")["jobs"].values()
    allowed = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    assert [step["run"] for step in job["steps"] if "run" in step] == [allowed, ".ci/run"]
    requirements = ROOT / "graders" / "hotloop" / "sandbox" / "requirements.py"
    assert allowed in requirements.read_text(encoding="utf-8")


def test_hooks_are_the_programs_of_make_lint() -> None:
    (local,) = loaded(ROOT / ".pre-commit-config.yaml")["repos"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    programs = set(re.findall(r"\$\(BIN\)/(ruff \w+|pyright)", recipe))
    assert {hook["name"] for hook in local["hooks"]} == programs
    assert all(hook["entry"].startswith(f".venv/bin/{hook['name']}") for hook in local["hooks"])
    assert "VENV ?= .venv\n" in makefile


def test_there_is_a_form_for_each_kind_of_issue() -> None:
    assert [path.stem for path in FORMS] == ["exploit", "new-module", "wrong-verdict"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_what_it_needs(path: Path) -> None:
    """The keys that the host requires; without one it shows no form at all."""
    form = loaded(path)
    assert {"name", "description", "labels", "body"} == set(form)
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in fields)
    names = [field["id"] for field in fields]
    assert len(set(names)) == len(names)


def test_an_exploit_that_works_is_sent_to_the_private_report() -> None:
    """By each text at which somebody who has one may arrive."""
    for name in ("ISSUE_TEMPLATE/exploit.yml", "ISSUE_TEMPLATE/wrong-verdict.yml"):
        assert "reported privately" in (text := _plain(name)) or "report it privately" in text
        assert "SECURITY.md" in text
    assert "reported privately" in _plain("pull_request_template.md")
    security = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "*Report a vulnerability*" in security
    assert "(site/pages/threat-model.md)" in security
    assert "(tests/exploits/README.md)" in security


def _plain(name: str) -> str:
    return " ".join((HOST / name).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_the_files_that_a_text_names_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"`((?:\.?[\w-]+/)+[\w.-]*)`", text)
    named += re.findall(r"(?<![\w/(])([A-Z]+\.md)\b", text)
    assert [name for name in named if not (ROOT / name).exists()] == []
