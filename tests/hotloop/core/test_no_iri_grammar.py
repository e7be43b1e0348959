"""Programs that read notebooks start without building a grammar that none of them needs."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import {module}
import jsonschema
print([name for name in ("lark", "rfc3987_syntax") if sys.modules.get(name)])
print(sorted(name for name in jsonschema.FormatChecker.checkers if name.startswith("ur")))
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", ["hotloop.cli", "hotloop.course.executors.local"])
def test_no_grammar_is_built(module: str) -> None:
    program = PROGRAM.format(module=module)
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded, checked = done.stdout.splitlines()
    assert loaded == "[]"
    assert "'uri'" in checked, "other formats are still checked"
