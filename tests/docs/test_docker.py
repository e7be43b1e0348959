"""What docker/ names is there: files, services, commands. No container engine is asked."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from traitlets.config.loader import PyFileConfigLoader

from hotloop.cli.commands import GROUPS, HOTLOOP
from hotloop.engines.serving import container

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = set(GROUPS[HOTLOOP].names)
NOT_RUN = "# Not run on the machine on which it was written, which has no container engine."


def faults(root: Path) -> list[str]:
    """Everything in docker/ that leads nowhere, or out of this machine's loopback."""
    found: list[str] = []
    for path in sorted(path for path in (root / "docker").iterdir() if path.is_file()):
        text = path.read_text(encoding="utf-8")
        found += [f"{path.name}: {fault}" for fault in _commands(root, text)]
        if path.name.endswith("compose.yaml"):
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
            source = str(volume).rpartition(":/")[0]
            default = re.fullmatch(r"\$\{\w+:-(\w+)\}", source)
            if isinstance(volume, str) and (default[1] if default else source) not in volumes:
                found.append(f"{name}: the volume {volume} is not declared")
            if isinstance(volume, dict) and not volume["read_only"]:
                found.append(f"{name}: {volume['target']} can be written")
    return found


def _dockerfile(root: Path, text: str) -> list[str]:
    copies = [line.split()[:-1] for line in re.findall(r"^COPY (.*)", text, re.MULTILINE)]
    plain = [words for words in copies if not words[0].startswith("--from=")]
    sources = [word for words in plain for word in words if not word.startswith("--")]
    return [f"COPY of {source}" for source in sources if not (root / source).exists()]


def instructions(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_all_that_is_named_is_there() -> None:
    assert faults(ROOT) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        (
            "compose.yaml",
            "docker/hotloop.Docker",
            "docker/x",
            "lab: there is no docker/xfile in ..",
        ),
        ("compose.yaml", '"127.0.0.1:8000:', '"8000:', "triton: port 8000:8000 is open to others"),
        ("compose.yaml", "- home:/home", "- hoem:/home", "the volume hoem:/home/learner is not"),
        ("compose.yaml", ":-models}", ":-model}", "the volume ${REPOSITORY:-model}:/models:ro is"),
        ("compose.yaml", "hotloop doctor", "hotloop docker", "there is no command hotloop docker"),
        ("hotloop.Dockerfile", "COPY docker/lab", "COPY docker/lap", "COPY of docker/lap"),
        ("hotloop.Dockerfile", '"hotloop", "lab"', '"hotloop", "lap"', "no command hotloop lap"),
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


@pytest.mark.parametrize("name", ["triton.compose.yaml", "triton.Dockerfile"])
def test_what_was_not_run_says_so_first(name: str) -> None:
    assert (ROOT / "docker" / name).read_text().splitlines()[0] == NOT_RUN


def test_the_tritons_of_compose_and_of_the_command_are_one() -> None:
    """Base, packages, image and options: `hotloop serving --container` does the same."""
    written = (ROOT / "docker" / "triton.Dockerfile").read_text()
    assert instructions(written) == instructions(container.dockerfile())
    assert f"-t {container.IMAGE} " in written
    document = yaml.safe_load((ROOT / "docker" / "triton.compose.yaml").read_text())
    service = document["services"]["triton"]
    assert service["image"] == container.IMAGE
    assert service["command"] == ["tritonserver", "--model-repository=/models"]
    assert service["volumes"][0]["source"].startswith("${REPOSITORY:?")


def test_whoever_runs_what_is_not_trusted_may_confine_it_and_is_not_root() -> None:
    services = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
    ours = {name: each for name, each in services.items() if each["image"].startswith("hotloop-")}
    needed = {"seccomp=unconfined", "systempaths=unconfined", "apparmor=unconfined"}
    for name in ours.keys() - {"triton"}:
        assert needed | {"no-new-privileges=true"} == set(ours[name]["security_opt"]), name
        assert ours[name]["cap_drop"] == ["ALL"], name
    text = (ROOT / "docker" / "hotloop.Dockerfile").read_text()
    for stage in ("lab", "grader", "portal"):
        last = text.partition(f" AS {stage}\n")[2].partition("\nFROM")[0]
        assert re.search(r"^USER 100[01]$", last, re.MULTILINE), stage
        assert re.search(r"^HEALTHCHECK ", last, re.MULTILINE), stage


def test_a_learner_is_in_no_network_with_the_gradebook_and_the_cluster() -> None:
    document = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
    networks = {name: set(each["networks"]) for name, each in document["services"].items()}
    assert not networks["lab"] & (networks["postgres"] | networks["ray-head"])
    assert networks["postgres"] == networks["ray-head"] == networks["ray-worker"] == {"cluster"}
    assert document["networks"]["cluster"]["internal"]


def test_the_hub_has_what_it_needs_to_become_its_learners_and_no_more() -> None:
    services = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
    hub = services["hub"]
    needed = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"}
    assert set(hub["cap_add"]) == needed
    assert [name for name, each in services.items() if "cap_add" in each] == ["hub"]
    # Its learners are the container's users: neither the gradebook nor Ray nor another's files.
    assert hub["networks"] == ["learners"]
    others = [each.get("volumes", ()) for name, each in services.items() if name != "hub"]
    own = {volume.partition(":")[0] for volume in hub["volumes"]}
    assert not own & {volume.partition(":")[0] for many in others for volume in map(str, many)}
    text = (ROOT / "docker" / "hotloop.Dockerfile").read_text()
    stage = text.partition("FROM hotloop AS hub\n")[2].partition("\nFROM")[0]
    assert "solutions" not in stage
    assert re.search(r"^HEALTHCHECK ", stage, re.MULTILINE)
    made = re.findall(r"^ && install --directory --mode (\d+) .*?(/\w+)", stage, re.MULTILINE)
    assert {path: mode for mode, path in made} == {
        "/hub": "0700",
        "/learners": "0711",
        "/service": "0700",
    }


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The hub's settings, as JupyterHub reads them, and the users that it has added."""
    for source in ("docker/hub/jupyterhub_config.py", "site/pages/assets/hotloop_hub.py"):
        shutil.copy(ROOT / source, tmp_path)
    (tmp_path / "learners").mkdir()
    monkeypatch.setenv("HOTLOOP_HUB_HOMES", str(tmp_path / "learners"))
    monkeypatch.setenv("HOTLOOP_SERVE_URL", "https://judge.example.org")
    loader = PyFileConfigLoader("jupyterhub_config.py", str(tmp_path))
    config = loader.load_config()
    functions = config.Spawner.pre_spawn_hook.__globals__
    ran: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    return SimpleNamespace(config=config, add=functions["add"], homes=functions["HOMES"], ran=ran)


@pytest.mark.parametrize("name", ["root", "nobody", "daemon"])
def test_nobody_becomes_a_user_of_the_system(hub: SimpleNamespace, name: str) -> None:
    with pytest.raises(PermissionError, match="user of the system"):
        hub.add(name)
    assert hub.ran == []


def test_a_learner_of_a_hub_keeps_the_number_that_owns_the_home(
    hub: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The container is made anew, and its list of users with it; the homes stay."""
    owners = {"ada": 10_000, "bob": 10_007}
    for name in owners:
        (hub.homes / name).mkdir()
    real = Path.stat

    def stat(path: Path, **how: Any) -> Any:
        owner = owners.get(path.name)
        return (
            real(path, **how) if owner is None else SimpleNamespace(st_uid=owner, st_mode=0o40700)
        )

    monkeypatch.setattr(Path, "stat", stat)
    for name in ("bob", "carol"):
        hub.add(name)
    assert [command[command.index("--uid") + 1] for command in hub.ran] == ["10007", "10008"]
    # A home that the system owns is nobody's.
    owners["ada"] = 0
    with pytest.raises(PermissionError):
        hub.add("ada")
    assert len(hub.ran) == 2


@pytest.mark.parametrize("name", ["Ada", "ada b", "../ada", "-a", "a/b", "ada\n", "a" * 32, ""])
def test_a_name_that_is_no_users_is_none(hub: SimpleNamespace, name: str) -> None:
    pattern = hub.config.Authenticator.username_pattern
    # As JupyterHub asks it.
    assert re.compile(pattern).match(name) is None
    assert re.compile(pattern).match("ada-2")


def test_the_judge_of_a_hub_is_a_user_of_its_own(hub: SimpleNamespace) -> None:
    (service,) = hub.config.JupyterHub.services
    assert service["user"] == "grader"
    assert service["command"][:3] == ["hotloop", "course", "serve"]
    text = (ROOT / "docker" / "hotloop.Dockerfile").read_text()
    asks = (ROOT / "docker" / "hub" / "hotloop-as-grader").read_text()
    assert "HOTLOOP_SERVE_COMMAND=hotloop-as-grader" in text
    assert "setpriv --reuid=grader" in asks


def test_the_portal_shares_no_network_with_a_learner_and_its_files_with_nobody() -> None:
    services = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
    portal = services["portal"]
    assert not set(portal["networks"]) & set(services["lab"]["networks"])
    assert set(portal["networks"]) & set(services["postgres"]["networks"])
    [volume] = portal["volumes"]
    assert volume.endswith("-team}:/team")
    others = [each.get("volumes", ()) for name, each in services.items() if name != "portal"]
    assert not any("team" in volume for volumes in others for volume in volumes)
    assert portal["environment"]["HOTLOOP_PORTAL_DATABASE"].startswith("postgresql+psycopg://")


def test_no_password_is_in_the_file() -> None:
    services = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
    found = [
        value
        for each in services.values()
        for name, value in each.get("environment", {}).items()
        if "PASSWORD" in name or re.search("://[^/]*:[^/]*@", value)
    ]
    # The hub's own is asked for by JupyterHub, which does not start without it: a class without a
    # hub needs none.
    assert found.count("${HOTLOOP_HUB_PASSWORD:-}") == 1
    found.remove("${HOTLOOP_HUB_PASSWORD:-}")
    assert len(found) == 3
    for value in found:
        assert "${HOTLOOP_DATABASE_PASSWORD:?" in value
        assert re.sub(r"\$\{[^}]*\}", "", value) in (
            "",
            "postgresql+psycopg://hotloop:@postgres/hotloop",
        )


def test_what_is_locked_satisfies_what_the_project_asks_for() -> None:
    """Of the groups that the images have; PyTorch's own wheel may be another build of its pin."""
    folder = ROOT / "docker" / "requirements"
    text = "".join((folder / f"{name}.txt").read_text() for name in ("torch", "cuda", "hotloop"))
    pins = dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = re.search(r"^EXTRAS = (\(.*\))$", (folder / "lock.py").read_text(), re.MULTILINE)
    assert groups is not None
    asked = list(project["dependencies"])
    wanted = list(ast.literal_eval(groups[1]))
    while wanted:
        for requirement in project["optional-dependencies"][wanted.pop()]:
            inner = re.fullmatch(r"hotloop\[(.*)\]", requirement)
            wanted += inner[1].split(",") if inner else []
            asked += [] if inner else [requirement]
    for requirement in map(Requirement, asked):
        pin = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pin), f"{requirement}: {pin} is locked"


def test_ray_on_kubernetes_is_the_ray_of_the_image() -> None:
    manifest = yaml.safe_load((ROOT / "docker" / "kuberay.yaml").read_text())
    locked = (ROOT / "docker" / "requirements" / "hotloop.txt").read_text()
    assert f"\nray=={manifest['spec']['rayVersion']} " in locked
    compose = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
    specs = [manifest["spec"]["headGroupSpec"], *manifest["spec"]["workerGroupSpecs"]]
    for spec in specs:
        [container] = spec["template"]["spec"]["containers"]
        assert container["image"] == compose["services"]["ray-worker"]["image"]
        assert container["securityContext"]["runAsNonRoot"] is True
    for spec in manifest["spec"]["workerGroupSpecs"]:
        assert spec["template"]["spec"]["hostUsers"] is False
        context = spec["template"]["spec"]["containers"][0]["securityContext"]
        assert context["procMount"] == "Unmasked"


@pytest.mark.slow
def test_options_that_are_named_exist() -> None:
    asked = [sys.executable, "-m", "hotloop.cli", "serving", "--help"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    assert "serving REPOSITORY --container" in (ROOT / "docker/triton.Dockerfile").read_text()
    assert "--container" in told
    assert "--log" in told
