"""A program of the curriculum is skipped for what it imports and lacks, and for nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core import extras, paths


@pytest.fixture
def without_tvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "missing", lambda group: ("tvm",) if group == "tvm" else ())


@pytest.mark.usefixtures("without_tvm")
@pytest.mark.parametrize(
    "source",
    ["import tvm\n", "from tvm.script import tirx as T\n", "def f():\n    import tvm.ir\n"],
)
def test_a_program_that_imports_what_is_missing_is_skipped_with_the_remedy(
    source: str, tmp_path: Path, require: Callable[[Path], None]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(source)
    with pytest.raises(pytest.skip.Exception, match=r"tvm not installed: .*hotloop\[tvm\]"):
        require(program)


@pytest.mark.usefixtures("without_tvm")
@pytest.mark.parametrize("source", ["import onnx\n", '"""import tvm"""\n', "from .tvm import x\n"])
def test_other_programs_run(source: str, tmp_path: Path, require: Callable[[Path], None]) -> None:
    program = tmp_path / "program.py"
    program.write_text(source)
    require(program)


def test_nothing_is_skipped_where_all_is_installed(
    tmp_path: Path, require: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "missing", lambda group: ())
    program = tmp_path / "program.py"
    program.write_text("import tvm, onnx\n")
    require(program)


@pytest.mark.usefixtures("without_tvm")
def test_what_a_shared_module_imports_counts_too(
    tmp_path: Path, require: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "curriculum", lambda: tmp_path)
    module = tmp_path / "module"
    (module / "proofs" / "shared").mkdir(parents=True)
    (module / "proofs" / "shared" / "kit.py").write_text("import tvm\n")
    (module / "figures").mkdir()
    for folder in ("proofs", "figures"):
        program = module / folder / "program.py"
        program.write_text("from shared.kit import something\n")
        with pytest.raises(pytest.skip.Exception, match="tvm not installed"):
            require(program)
