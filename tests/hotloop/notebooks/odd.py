"""Odd notebooks: what engineers, other tools and accidents leave in cells, and the right verdict.

All are of one task, `llm_serving_engine.capacity`, whose function needs the number GIB. A right one
defines both before the check; a wrong one does not, in the same ways.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hotloop.core import paths

MODULE, TASK = "llm_serving_engine", "capacity"

Cell = str | Mapping[str, Any]
"""A code cell's text, or a whole cell."""

NEEDS = "import json\n\nfrom hotloop import check"
BODY = """\
def capacity(path):
    with open(path, encoding="utf-8") as stream:
        d = json.load(stream)
    own_heads = max(1, d["kv_heads"] / d["gpus"])
    kv = 2 * d["layers"] * own_heads * d["head_dim"] * d["cache_bytes"]
    weights = d["parameters"] * d["weight_bytes"] / d["gpus"]
    room = (d["memory_gib"] * d["share"] - d["reserved_gib"]) * GIB - weights
    blocks = max(0, int(room // (kv * d["block_size"])))
    tokens = d["prompt_tokens"] + d["output_tokens"]
    sequences = blocks // -(-tokens // d["block_size"])
    context = d["prompt_tokens"] + d["output_tokens"] / 2
    seconds = (weights + sequences * context * kv) / (d["bandwidth_gb_s"] * 1e9)
    return {
        "kv_bytes_per_token": kv,
        "blocks": blocks,
        "sequences": sequences,
        "step_ms": 1000 * seconds if sequences else None,
        "tokens_per_s": sequences / seconds if sequences else None,
    }
"""
GIB = "GIB = 2**30"
STUB = f'### TASK {MODULE}.{TASK}\ndef capacity(path):\n    raise NotImplementedError("x")'


def code(source: Any, **about: Any) -> dict[str, Any]:
    return {
        "cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
        "source": source, **about,
    }  # fmt: skip


def named(name: str, source: Any, *, solution: bool) -> dict[str, Any]:
    marks = {
        "grade": not solution, "grade_id": name, "locked": not solution, "points": 6,
        "schema_version": 3, "solution": solution, "task": False,
    }  # fmt: skip
    return code(source, metadata={"nbgrader": marks})


def answer(source: Any = BODY) -> dict[str, Any]:
    return named(f"{TASK}_solution", source, solution=True)


def handed_out() -> dict[str, Any]:
    """Return the answer's cell as it is in the exercise."""
    notebook = json.loads((paths.exercises() / MODULE / "lab.ipynb").read_bytes())
    texts = ["".join(cell["source"]) for cell in notebook["cells"]]
    return answer(next(text for text in texts if text.startswith(f"### TASK {MODULE}.{TASK}\n")))


CHECK = named(TASK, f'check("{MODULE}.{TASK}")', solution=False)
PLAIN_CHECK = code(f'check("{MODULE}.{TASK}")')
OTHER = "read_metrics"
"""The task that follows in the exercise, and whose check is behind this one's."""
OTHER_CHECK = named(OTHER, f'check("{MODULE}.{OTHER}")', solution=False)
MARKDOWN = {"cell_type": "markdown", "metadata": {}, "source": "GIB = 0"}
RAW = {"cell_type": "raw", "metadata": {}, "source": "GIB = 0"}


def before(*cells: Cell) -> Sequence[Cell]:
    """Return a notebook with these cells between its imports and its answer."""
    return (NEEDS, *cells, answer(), CHECK)


def in_one(text: str) -> Sequence[Cell]:
    """Return a notebook with this text before the number, in the same cell."""
    return before(f"{text}\n{GIB}")


RIGHT: Mapping[str, Sequence[Cell]] = {
    "plain": in_one(""),
    "a check above all": (CHECK, NEEDS, GIB, answer()),
    "a check above its code": (NEEDS, CHECK, answer(), GIB),
    # IPython's syntax
    "a line that is timed": before("%time GIB = 2**30"),
    "a cell that is timed": before(f"%%time\n{GIB}"),
    "timeit beside it": in_one("%timeit -n 1 -r 1 sum(range(9))"),
    "a magic in a block": before("for power in [30]:\n    %time GIB = 2**power"),
    "a magic that is assigned": before("here = %pwd\nimport os\nassert os.path.isdir(here)", GIB),
    "help after a name": in_one("len?"),
    "help before a name": in_one("?len"),
    "source of a name": in_one("json.dumps??"),
    "a shell's line": before("!echo 30 > power.txt", "GIB = 2 ** int(open('power.txt').read())"),
    "a shell's line in a cell": in_one("!ls"),
    "a shell's answer": before("lines = !echo 30\nGIB = 2 ** int(lines[0])"),
    "a shell's line with a variable": before(
        "power = 30", "lines = !echo {power} $power\nGIB = 2 ** int(lines[0].split()[1])"
    ),
    "a shell's line that fails": in_one("!no_such_program --help"),
    "a cell for bash": before("%%bash\necho 30 > power", "GIB = 2 ** int(open('power').read())"),
    "a program of one's own": before(
        "import sys", "lines = !{sys.executable} -c 'print(30)'\nGIB = 2 ** int(lines[-1])"
    ),
    "a cell that is captured": before(f"%%capture out\nprint('x')\n{GIB}"),
    "a cell that is switched off": before(GIB, "%%script false --no-raise-error\nGIB = 0"),
    "a cell that is echoed": before(GIB, "%%script echo skipped\nGIB = 0"),
    "a page of HTML": before("%%html\n<b>GIB = 0</b>", "%%javascript\nalert(1)", GIB),
    "a cell with prompts": before(">>> GIB = 2**30\n>>> len('x')\n1"),
    "a cell with numbers": before("In [3]: GIB = 2**30"),
    "an indented cell": before("    GIB = 2**30\n    assert GIB"),
    "an alias": before("%alias_magic t time", "%t GIB = 2**30"),
    "a magic that nobody knows": before("%no_such_magic", GIB),
    "a cell magic that nobody knows": before("%%no_such_magic\nGIB = 0", GIB),
    "a line that looks like a magic": before("GIB = (2**31\n% (2**31 - 2**30) or 2**30)", GIB),
    # Text that looks like IPython's syntax
    "a text with marks": before(
        'TEXT = """\n!important\n"""\nassert TEXT.count("!") == 1\nGIB = 2**30'
    ),
    "a text with shares": before(
        'TEXT = """\n%d of peak\n%%time\n"""\nassert TEXT.count("%") == 3\nGIB = 2**30'
    ),
    "a text with a question": before("TEXT = '''\nlen?\n'''\nassert '?' in TEXT", GIB),
    # Files and folders
    "a module that a cell writes": before(
        "%%writefile units.py\nGIB = 2**30", "from units import GIB"
    ),
    "a module in a folder": before(
        "!mkdir tools",
        "%%writefile tools/units.py\nGIB = 2**30",
        "%cd tools",
        "from units import GIB",
        "%cd ..",
    ),
    "a script that is run": before("%%writefile units.py\nGIB = 2**30", "%run units.py"),
    "a module that is loaded again": before(
        "%load_ext autoreload\n%autoreload 2",
        "%%writefile units.py\nGIB = 2**30",
        "import units\nGIB = units.GIB",
    ),
    "the folder of the process": before(
        "import os\nos.makedirs('deep', exist_ok=True)\nos.chdir('deep')", GIB
    ),
    "a variable of the environment": before(
        "%env POWER=30", "import os\nGIB = 2 ** int(os.environ['POWER'])"
    ),
    # Coroutines
    "await": before("import asyncio", "await asyncio.sleep(0.001)\nGIB = 2**30"),
    "await in an expression": before(
        "import asyncio\nasync def power():\n    return 30", "GIB = 2 ** await power()"
    ),
    "a task for the next cell": before(
        "import asyncio\nasync def power():\n    return 30\ntask = asyncio.create_task(power())",
        "GIB = 2 ** await task",
    ),
    "a task that nobody awaits": before(
        "import asyncio\nasync def define():\n    global GIB\n    GIB = 2**30\n"
        "task = asyncio.ensure_future(define())",
        "assert GIB",
    ),
    "async with": before(
        "import asyncio\nasync with asyncio.Lock():\n    GIB = 2**30",
    ),
    "a loop in a loop": before(
        "import asyncio\ntry:\n    asyncio.run(asyncio.sleep(0))\nexcept RuntimeError:\n    pass",
        GIB,
    ),
    # What a kernel offers
    "display": before('display("x")\nGIB = 2**30'),
    "display of pages": in_one(
        "from IPython.display import HTML, Markdown, clear_output, display\n"
        "display(HTML('<b>x</b>'), Markdown('*x*'))\nclear_output()"
    ),
    "a display that changes": in_one("shown = display(1, display_id=True)\nshown.update(2)"),
    "an object that shows itself": before(
        "class Table:\n    def _repr_html_(self):\n        return '<table></table>'\nTable()", GIB
    ),
    "an object that fails to": before(
        "class Table:\n    def _repr_html_(self):\n        raise ValueError\nTable()", GIB
    ),
    "get_ipython": before('get_ipython().run_line_magic("time", "GIB = 2**30")'),
    "is it a notebook": before(
        "name = get_ipython().__class__.__mro__\n"
        "assert 'ZMQInteractiveShell' in [each.__name__ for each in name]\nGIB = 2**30"
    ),
    "is it a kernel": before("assert 'ipykernel' in __import__('sys').modules\nGIB = 2**30"),
    "the main module": before("if __name__ == '__main__':\n    GIB = 2**30"),
    "a class that is pickled": before(
        "import pickle\nclass Power:\n    value = 30\n"
        "GIB = 2 ** pickle.loads(pickle.dumps(Power())).value"
    ),
    "source that is read": before(
        "import inspect\ndef power():\n    return 30",
        "assert 'return 30' in inspect.getsource(power)\nGIB = 2 ** power()",
    ),
    "annotations of the future": before("from __future__ import annotations", "x: Nobody = 1", GIB),
    "threads": before(
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool:\n"
        "    GIB = 2 ** max(pool.map(abs, range(31)))"
    ),
    "a hundred threads": before(
        "import threading\nend = threading.Event()\n"
        "threads = [threading.Thread(target=end.wait) for _ in range(100)]\n"
        "for thread in threads:\n    thread.start()\nGIB = 2**30\nend.set()"
    ),
    "a process": before(
        "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    GIB = 2 ** max(pool.map(abs, range(31)))"
    ),
    # What goes wrong beside it
    "exit": before("exit()", GIB),
    "quit": before("quit", GIB),
    "exit after it": before(f"{GIB}\nexit()", "exit()"),
    "sys.exit": before("import sys\nsys.exit(0)", GIB),
    "a question to a person": before("input('which GPU?')", GIB),
    "a question that is caught": in_one("try:\n    input()\nexcept Exception:\n    pass"),
    "a password": before("import getpass\ngetpass.getpass()", GIB),
    "an exception": before("1 / 0", GIB),
    "an exception after it": before(f"{GIB}\nraise ValueError"),
    "a cell that does not parse": before("def (:", GIB),
    "a package that is missing": before("import no_such_package", GIB),
    "pictures without matplotlib": before("%matplotlib no_such_backend", GIB),
    "settings": before("%config InlineBackend.figure_format = 'retina'", GIB),
    "everything forgotten": before("x = 1", "%reset -f", f"import json\n{GIB}"),
    "much output": in_one("for _ in range(40):\n    print('x' * 100_000)"),
    "much output of a program": in_one("!head -c 3000000 /dev/zero | tr '\\0' x"),
    "an output that is no text": before("print('\\ud800')", GIB),
    "bytes on standard output": before("import sys\nsys.stdout.buffer.write(b'x')", GIB),
    "standard output replaced": in_one("import os, sys\nsys.stdout = open(os.devnull, 'w')"),
    "warnings as errors": in_one("import warnings\nwarnings.simplefilter('error')"),
    "a log": in_one("import logging\nlogging.basicConfig(level=0)\nlogging.info('x')"),
    "an alarm": in_one(
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nsignal.alarm(0)"
    ),
    # The notebook file
    "lines": (NEEDS, code(["GIB = ", "2**30\n", "assert GIB"]), answer(), CHECK),
    "lines that end as on Windows": before("if True:\r\n    GIB = 2**30\r\n"),
    "letters of all kinds": before("größe = '🔥 ≤ 2³⁰'\nGIB = 2**30"),
    "half a letter": before("TEXT = '\ud800'\nGIB = 2**30"),
    "text between": before(GIB, MARKDOWN, RAW),
    "empty cells": before("", "   \n", GIB, ""),
    "the stub kept": (NEEDS, answer(STUB), GIB, BODY, CHECK),
    "no metadata": (NEEDS, GIB, BODY, PLAIN_CHECK, "GIB = 0"),
    "a check that was copied": (NEEDS, PLAIN_CHECK, GIB, answer(), CHECK),
    "a check of the same name before": (NEEDS, CHECK, GIB, answer(), CHECK, "GIB = 0"),
    "changed after the check": (NEEDS, GIB, answer(), CHECK, "GIB = 0", "del capacity"),
    "an answer in two cells": (NEEDS, GIB, answer("# below"), BODY, CHECK),
    # Cells that were deleted, moved, merged, split or copied
    "no check": (NEEDS, GIB, answer()),
    "no check among others": (NEEDS, GIB, answer(), OTHER_CHECK, "GIB = 0"),
    "no metadata and no check": (NEEDS, GIB, BODY),
    "a check at the end": (NEEDS, GIB, answer(), "x = 1", OTHER_CHECK, CHECK),
    "upside down": (CHECK, answer(), GIB, NEEDS),
    "an answer below the next task": (NEEDS, GIB, CHECK, OTHER_CHECK, answer()),
    "a check that became text": (
        NEEDS, GIB, answer(), {**CHECK, "cell_type": "markdown"}, "GIB = 0",
    ),
    "a check by its id": (NEEDS, GIB, answer(), code("pass", id=TASK), "GIB = 0"),
    "a check of another name": (
        NEEDS, GIB, answer(), named("c2", f'check("{MODULE}.{TASK}")', solution=False), "GIB = 0",
    ),
    "an answer in its check's cell": (
        NEEDS, GIB, named(TASK, f'{BODY}\ncheck("{MODULE}.{TASK}")', solution=False),
    ),
    "an answer and its number in its check's cell": (
        NEEDS, named(TASK, f'{BODY}\ncheck("{MODULE}.{TASK}")\n{GIB}', solution=False),
    ),
    "a check that is empty": (NEEDS, GIB, answer(), named(TASK, "", solution=False), "GIB = 0"),
    "a cell as handed out below": (NEEDS, GIB, BODY, handed_out(), CHECK),
    "a copy as handed out below": (NEEDS, GIB, answer(), handed_out(), CHECK),
    "a copy as handed out above": (NEEDS, handed_out(), GIB, answer(), CHECK),
    "a copy as handed out behind": (NEEDS, GIB, answer(), handed_out()),
}  # fmt: skip

WRONG: Mapping[str, Sequence[Cell]] = {
    "another number": before("%time GIB = 10**9"),
    "a check above code without the number": (CHECK, NEEDS, answer()),
    "a number that is switched off": before("%%script false --no-raise-error\nGIB = 2**30"),
    "a number in another program": before("%%bash\nGIB=30"),
    "a number that is only text": before('TEXT = """\nGIB = 2**30\n"""'),
    "a number that is no code": before({**MARKDOWN, "source": GIB}, {**RAW, "source": GIB}),
    "a number after exit": before(f"exit()\n{GIB}"),
    "a number after an exception": before(f"1 / 0\n{GIB}"),
    "a number that does not parse": before("GIB = = 2**30"),
    "a number after the check": (NEEDS, answer(), CHECK, GIB),
    "a file that is never loaded": before(f"%%writefile units.py\n{GIB}"),
    "a name that was never imported": before("GIB = Path and sys and 2**30"),
    "a name of the grader's": before("GIB = cells_to_run and 2**30"),
    "nothing written": (NEEDS, GIB, answer(STUB), CHECK),
    "an answer that is only text": (NEEDS, GIB, answer(f"'''\n{BODY}\n'''"), CHECK),
    "an answer that is only written": (NEEDS, GIB, answer(f"%%writefile a.py\n{BODY}"), CHECK),
    "an answer that is forgotten": (NEEDS, GIB, answer(), "%reset -f", CHECK),
    "an answer that is a coroutine": (NEEDS, GIB, answer(f"async {BODY}"), CHECK),
    "an answer that starts a loop": (
        NEEDS, GIB, answer(),
        "import asyncio\nsync = capacity\nasync def later(path):\n    return sync(path)",
        "def capacity(path):\n    return asyncio.run(later(path))", CHECK,
    ),
    "an answer that asks": (NEEDS, GIB, answer("def capacity(path):\n    return input()"), CHECK),
    "an answer that exits": (NEEDS, GIB, answer("def capacity(path):\n    exit()"), CHECK),
    "no check and no number": (NEEDS, answer()),
    "a number behind the next task": (NEEDS, answer(), CHECK, OTHER_CHECK, BODY, GIB),
    "no check and a change": (NEEDS, GIB, answer(), "GIB = 0"),
    "no check and a change before the next": (NEEDS, GIB, answer(), "GIB = 0", OTHER_CHECK),
    "a change in the check's cell": (
        NEEDS, GIB, answer(), named(TASK, f'GIB = 0\ncheck("{MODULE}.{TASK}")', solution=False),
    ),
    "an answer that became text": (NEEDS, GIB, {**answer(), "cell_type": "markdown"}, CHECK),
    "an answer that became raw": (NEEDS, GIB, {**answer(), "cell_type": "raw"}),
    "a second answer that is wrong": (NEEDS, GIB, answer(), answer("def capacity(p): pass"), CHECK),
    "only as handed out": (NEEDS, GIB, handed_out()),
    "a process that ends": (NEEDS, "import os\nos._exit(0)", GIB, answer(), CHECK),
    "a process that is killed": (NEEDS, "import os\nos.kill(os.getpid(), 9)", GIB, answer(), CHECK),
}  # fmt: skip


def document(cells: Sequence[Cell]) -> dict[str, Any]:
    return {
        "cells": [code(cell) if isinstance(cell, str) else dict(cell) for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
