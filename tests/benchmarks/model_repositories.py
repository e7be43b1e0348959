"""The static check of model repositories on NVIDIA's own: false alarms, and bad models it reports.

    git clone https://github.com/triton-inference-server/server  # and others
    python tests/benchmarks/model_repositories.py --server server tutorials …

With --server, the server of `hotloop doctor --install tritonserver` loads each of the small
repositories of tests/hotloop/engines/serving, right and wrong, and the check is compared with it.

The clones may be bare; nothing of them is stored. Three folders of server's qa/L0_model_config are
labeled by how the server rejects their contents. All other folders with a config.pbtxt are assumed
valid if in scope, that is, if the check knows the backend. Not judged are models whose tests rename
the folder first (other_name), and ensembles whose models the tests bring from elsewhere
(incomplete). Files downloaded later cannot be present, so a missing file is no alarm; a model
without a version gets one, as in the server's tests.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.engines.serving import preflight, repository
from hotloop.engines.serving.model_config import FILE
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.device import device_name

RESULT = Path(__file__).parent / "results" / "model_repositories.json"
LABELED = {
    "core": "qa/L0_model_config/noautofill_platform",
    "onnx": "qa/L0_model_config/autofill_noplatform/onnx",
    "ensemble": "qa/L0_model_config/autofill_noplatform/ensemble",
}
READ = (FILE, ".py", ".onnx")
"""Suffixes of the files that the check reads."""

BAD = "qa/L0_model_config"
"""Folder of bad models: nothing in it counts as valid."""

NO_FILE = ("it is missing", "there is no version", "has no class", "which is missing")
"""Parts of messages about files that are not part of a clone, or empty in it."""

NO_GPU = "the server sees no GPU here"
"""Of the machine that measures, not of the model."""

OTHER_BACKEND = ("this server has no", "nothing says what runs it")
"""Prefixes of messages about another server's backend: such models are not in scope."""

NO_STEP = "there is no model "
"""Prefix of the message about an ensemble whose steps the tests bring from elsewhere.

It cannot be checked without them.
"""

_ELSEWHERE = (*NO_FILE, *OTHER_BACKEND, NO_GPU)

OTHER_NAME = "the name is "
"""Prefix of the message about a folder that its tests rename first.

Without the rename, the server refuses it too.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--result", type=Path, default=RESULT)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args(arguments)
    result: dict[str, Any] = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "clones": {},
        "rows": [],
    }
    sound: Counter[str] = Counter()
    alarms: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for clone in given.clones:
            commit, folder = _laid_out(clone, Path(scratch))
            result["clones"][folder.name] = commit
            for kind, below in LABELED.items():
                if (folder / below).is_dir():
                    counted = _labeled(folder / below, given.verbose)
                    result["rows"].append({"bad models": kind, **counted})
            for models in _repositories(folder):
                _sound(models, folder, sound, alarms)
    if given.server:
        result["server"] = _against_server()
    result["sound"] = {**sound, "alarms": len(alarms), "said": sorted(alarms)}
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({**result, "sound": {**sound, "alarms": len(alarms)}}, indent=1))
    if given.verbose:
        print("\n".join(sorted(alarms)))


def _against_server() -> dict[str, Any]:
    """Compare the check with the server on small repositories of one model each."""
    from tests.hotloop.engines.serving import onnx_cases, repository_cases

    counts: Counter[str] = Counter()
    differing: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        cases = repository_cases.together((*repository_cases.CASES, *onnx_cases.CASES), folder)
        options = Options(isolation="none", explicit=True, ready_s=60.0)
        with ExitStack() as stack:

            def ready() -> TritonServer:
                server = stack.enter_context(TritonServer(folder, preflight.require(), options))
                server.wait_ready()
                return server

            for case, does in repository_cases.verdicts(cases, ready):
                says = "loaded"
                with tempfile.TemporaryDirectory() as alone:
                    case.write(Path(alone))
                    if repository.check(Path(alone)):
                        says = case.verdict if case.verdict == "useless" else "refused"
                counts[f"{does}, and the check says {says}"] += 1
                if does != says.replace("useless", "loaded"):
                    differing.append(f"{case.name}: {does}, and the check says {says}")
    return {**counts, "differing": differing}


def _laid_out(clone: Path, scratch: Path) -> tuple[str, Path]:
    """Extract the folders with a config.pbtxt of the clone's last commit, without large files."""
    name = clone.resolve().name
    name = clone.resolve().parent.name.rpartition("+")[2] if name == "repo" else name
    git = ["git", "-C", str(clone.resolve())]
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    listed = subprocess.check_output([*git, "ls-tree", "-r", "--name-only", "HEAD"], text=True)
    paths = listed.splitlines()
    roots = {path.rpartition("/")[0] for path in paths if path.endswith(f"/{FILE}")}
    wanted = [path for path in paths if path.endswith(READ) and _is_within(path, roots)]
    folder = scratch / name
    folder.mkdir()
    archive = scratch / f"{name}.tar"
    command = [*git, "archive", "-o", str(archive), "HEAD", *sorted(set(wanted))]
    subprocess.run(command, check=True)
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    for config in folder.rglob(FILE):
        _with_version(config.parent)
    return commit, folder


def _with_version(model: Path) -> None:
    if not any(path.name.isdigit() for path in model.iterdir()):
        (model / "1").mkdir()


def _is_within(path: str, roots: set[str]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:count]) in roots for count in range(1, len(parts)))


def _labeled(folder: Path, verbose: bool) -> dict[str, int]:
    """Count how many bad cases are reported. A case is a model, or a folder of models."""
    cases = sorted(path for path in folder.iterdir() if path.is_dir())
    named = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            models = _as_repository(case, Path(scratch))
            said = [
                each
                for each in repository.check(models)
                if not any(part in each.text for part in _ELSEWHERE)
            ]
        named += bool(said)
        if verbose and not said:
            print("not named:", case.relative_to(folder.parents[1]))
    return {"cases": len(cases), "named": named}


def _as_repository(case: Path, scratch: Path) -> Path:
    if not (case / FILE).is_file():
        return case
    (scratch / "models").mkdir()
    (scratch / "models" / case.name).symlink_to(case)
    copied = scratch / "copied"
    subprocess.run(["cp", "-rL", str(scratch / "models"), str(copied)], check=True)
    return copied


def _repositories(folder: Path) -> Iterator[Path]:
    configs = sorted(path.parent for path in folder.rglob(FILE))
    # A version's folder may hold another config.pbtxt, which no server reads.
    outer = [path for path in configs if not set(path.parents) & set(configs)]
    found = {path.parent for path in outer if BAD not in str(path)}
    yield from sorted(found)


def _sound(models: Path, folder: Path, counts: Counter[str], alarms: list[str]) -> None:
    """Count a repository's models, and the alarms for those in scope."""
    said = repository.check(models)
    for model in sorted(path for path in models.iterdir() if (path / FILE).is_file()):
        counts["models"] += 1
        own = [each for each in said if each.file.startswith(f"{model.name}/")]
        if any(each.text.startswith(OTHER_BACKEND) for each in own):
            continue
        counts["in_scope"] += 1
        where = model.relative_to(folder.parent)
        if any(each.text.startswith(OTHER_NAME) for each in own):
            counts["other_name"] += 1
            continue
        if any(each.text.startswith(NO_STEP) for each in own):
            counts["incomplete"] += 1
            continue
        real = [each for each in own if not any(part in each.text for part in (*NO_FILE, NO_GPU))]
        alarms += [f"{where}: {each}" for each in real[:1]]


if __name__ == "__main__":
    main()
