"""Records the output of NVIDIA's programs for `sources/`, for tests on machines without them.

`python tests/hotloop/engines/nvcc/record.py`, with nvcc and nvdisasm on PATH. `@FOLDER@` replaces
the folder in which the compiler ran.
"""

import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = HERE / "sources"
RECORDED = HERE / "recorded"
CAPABILITY = 90


def main() -> None:
    for source in sorted(SOURCES.glob("*.cu")):
        with tempfile.TemporaryDirectory() as folder:
            record(source, Path(folder))


def record(source: Path, folder: Path) -> None:
    (folder / source.name).write_text(source.read_text())
    flags = "-std=c++17 -O3 -cubin -Xptxas -v -lineinfo --keep --keep-dir=."
    done = run(
        f"nvcc {flags} -arch=sm_{CAPABILITY} -o out.cubin {source.name}", folder, source.stem
    )
    (RECORDED / f"{source.stem}.status").write_text(f"{done.returncode}\n")
    ptx = folder / f"{source.stem}.ptx"
    if ptx.exists():
        text = ptx.read_text().replace(str(folder), "@FOLDER@")
        (RECORDED / ptx.name).write_text(text)
    if done.returncode == 0:
        run("nvdisasm -c -g out.cubin", folder, source.stem, suffix="sass")


def run(
    command: str, folder: Path, stem: str, suffix: str = "log"
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command.split(),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if not line.endswith("NOP;")]
    text = "\n".join(lines).replace(str(folder), "@FOLDER@")
    (RECORDED / f"{stem}.{suffix}").write_text(text + "\n")
    return done


if __name__ == "__main__":
    main()
