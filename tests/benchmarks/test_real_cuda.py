"""The benchmark of real CUDA programs finds a folder's sources; the README has its numbers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import real_cuda

README = real_cuda.RESULT.parents[3] / "graders" / "hotloop" / "engines" / "simulate" / "README.md"


def put(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


def names(folder: Path) -> list[tuple[str, list[str], tuple[str, ...]]]:
    found = real_cuda.programs(folder, [], "", 1)
    return [(p.name, [s.name for s in p.sources], p.arguments) for p in found]


def test_a_folder_is_a_program_and_so_is_each_main(tmp_path: Path) -> None:
    main = "int main() {}\n"
    put(tmp_path / "one", a_cu=f'#include "b.cu"\n{main}', b_cu="", c_cpp="")
    put(tmp_path / "two", a_cu=main, b_cu=main, c_cu="")
    put(tmp_path / "parts", a_c=main)
    put(tmp_path / "parts" / "kernel", k_cu="")
    assert names(tmp_path) == [
        ("one", ["a.cu", "c.cpp"], ()),
        ("parts", ["a.c", "k.cu"], ()),
        ("two/a.cu", ["a.cu", "c.cu"], ()),
        ("two/b.cu", ["b.cu", "c.cu"], ()),
    ]


def test_a_makefile_names_sources_and_arguments(tmp_path: Path) -> None:
    put(tmp_path / "one", a_cu="int main() {}", b_cu="int main() {}")
    make = "source = a.cu\nrun: $(program)\n\t$(LAUNCHER) ./$(program) 8 -x data.txt\n"
    (tmp_path / "one" / "Makefile").write_text(make)
    assert names(tmp_path) == [("one", ["a.cu"], ("8", "-x", "data.txt"))]


def test_what_other_libraries_a_program_needs(tmp_path: Path) -> None:
    put(tmp_path / "one", a_cu='#include "near.h"\nint main() {}', near_h="#include <cufft.h>\n")
    (program,) = real_cuda.programs(tmp_path, [], "", 1)
    assert real_cuda.other_libraries(program) == "a CUDA library"


def test_the_readme_has_the_numbers_that_are_kept() -> None:
    assert real_cuda.table() in README.read_text(encoding="utf-8")
