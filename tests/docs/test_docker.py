"""What docker/ names is there: files, services, commands. No container engine is asked."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotloop.cli import app
from hotloop.serving import container

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {str(entry.name) for entry in (*app.registered_commands, *app.registered_groups)}
NOT_RUN = "# Not run on the machine on which it was written, which has no container engine."


def faults(root: Path) -> list[str]:
    """Everything in docker/ that leads nowhere, or out of this machine's loopback."""
    found: list[str] = []
    for path in sorted((root / "docker").iterdir()):
        text = path.read_text(encoding="utf-8")
        found += [f"{path.name}: {fault}" for fault in _commands(root, text)]
        if path.suffix == ".yaml":
            found += [f"{path.name}: {fault}" for fault in _compose(path, yaml.safe_load(text))]
        if path.suffix == ".Dockerfile":
            found += [f"{path.name}: {fault}" for fault in _dockerfile(root, text)]
    return found


def _commands(root: Path, text: str) -> list[str]:
    """What comments tell a reader to type, and what an image runs."""
    found: list[str] = []
    typed = re.findall(r"docker compose -f (\S+)(?: \S+)* (?:up|run --rm) (\S+)", text)
    for file, service in typed:
        if not (root / file).is_file():
            found.append(f"there is no {file}")
        elif service not in yaml.safe_load((root / file).read_text())["services"]:
            found.append(f"{file} has no service {service}")
    built = re.findall(r"docker build -f (\S+)", text)
    found += [f"there is no {file}" for file in built if not (root / file).is_file()]
    called = re.findall(r'(?:`|\["|[\w-]+ )hotloop(?:"?,? "?)([a-z]+)', text)
    return found + [f"there is no command hotloop {w}" for w in called if w not in COMMANDS]


def _compose(path: Path, document: dict[str, Any]) -> list[str]:
    found: list[str] = []
    services, volumes = document["services"], document.get("volumes", {})
    for name, service in services.items():
        if build := service.get("build"):
            context = (path.parent / build["context"]).resolve()
            if not (context / build["dockerfile"]).is_file():
                found.append(f"{name}: there is no {build['dockerfile']} in {build['context']}")
        if "extends" in service and service["extends"]["service"] not in services:
            found.append(f"{name} extends {service['extends']['service']}, which there is not")
        ports = map(str, service.get("ports", ()))
        found += [
            f"{name}: port {port} is open to others"
            for port in ports
            if not port.startswith("127.0.0.1:")
        ]
        for volume in service.get("volumes", ()):
            if isinstance(volume, str) and volume.split(":")[0] not in volumes:
                found.append(f"{name}: the volume {volume} is not declared")
            if isinstance(volume, dict) and not volume["read_only"]:
                found.append(f"{name}: {volume['target']} can be written")
    return found


def _dockerfile(root: Path, text: str) -> list[str]:
    sources = [word for line in re.findall(r"^COPY (.*)", text, re.MULTILINE)
               for word in line.split()[:-1]]  # fmt: skip
    return [f"COPY of {source}" for source in sources if not (root / source).exists()]


def instructions(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_all_that_is_named_is_there() -> None:
    assert faults(ROOT) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("compose.yaml", "docker/lab.Dockerfile", "docker/x", "lab: there is no docker/x in .."),
        ("compose.yaml", '"127.0.0.1:8888:', '"8888:', "lab: port 8888:8888 is open to others"),
        ("compose.yaml", "- lab:/home", "- lap:/home", "the volume lap:/home/learner is not"),
        ("compose.yaml", "hotloop doctor", "hotloop docker", "there is no command hotloop docker"),
        ("lab.Dockerfile", "COPY graders", "COPY grader", "COPY of grader"),
        ("lab.Dockerfile", '"hotloop", "lab"', '"hotloop", "lap"', "no command hotloop lap"),
        ("triton.compose.yaml", "read_only: true", "read_only: false", "/models can be written"),
        ("triton.compose.yaml", "service: triton", "service: trito", "extends trito, which"),
        ("triton.compose.yaml", "up triton\n", "up tritons\n", "has no service tritons"),
        ("triton.compose.yaml", "-f docker/triton", "-f docker/tritons", "is no docker/tritons"),
        ("triton.Dockerfile", "-f docker/triton", "-f triton", "there is no triton.Dockerfile"),
    ],
)
def test_what_is_not_there_is_found(
    tmp_path: Path, file: str, old: str, new: str, fault: str
) -> None:
    shutil.copytree(ROOT / "docker", tmp_path / "docker")
    for path in ROOT.iterdir():
        if path.name not in {"docker", ".git", ".venv"}:
            (tmp_path / path.name).symlink_to(path)
    path = tmp_path / "docker" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert any(fault in found for found in faults(tmp_path)), faults(tmp_path)


@pytest.mark.parametrize("name", ["compose.yaml", "triton.compose.yaml", "triton.Dockerfile"])
def test_what_was_not_run_says_so_first(name: str) -> None:
    assert (ROOT / "docker" / name).read_text().splitlines()[0] == NOT_RUN


def test_the_tritons_of_compose_and_of_the_command_are_one() -> None:
    """Base, packages, image and options: `hotloop serving run --container` does the same."""
    written = (ROOT / "docker" / "triton.Dockerfile").read_text()
    assert instructions(written) == instructions(container.dockerfile())
    assert f"-t {container.IMAGE} " in written
    document = yaml.safe_load((ROOT / "docker" / "triton.compose.yaml").read_text())
    service = document["services"]["triton"]
    assert service["image"] == container.IMAGE
    assert service["command"] == ["tritonserver", "--model-repository=/models"]
    assert service["volumes"][0]["source"].startswith("${REPOSITORY:?")


def test_options_that_are_named_exist() -> None:
    asked = [sys.executable, "-m", "hotloop.cli", "serving", "run", "--help"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    assert "serving run REPOSITORY --container" in (ROOT / "docker/triton.Dockerfile").read_text()
    assert "--container" in told
    assert "--log" in told
