"""What a library on the stable ABI asks of torch: functions of C, and no symbol of C++."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import torch

SOURCE = Path(__file__).with_suffix(".cpp")
TORCH = Path(torch.__file__).parent
OLDEST = "0x020b000000000000"  # 2.11: the oldest torch that the library must still load into


def build(target: Path) -> None:
    """Compile and link it."""
    subprocess.run(
        [
            *("g++", "-std=c++20", "-O0", "-shared", "-fPIC", f"-DTORCH_TARGET_VERSION={OLDEST}"),
            *(f"-I{TORCH / 'include'}", str(SOURCE), "-o", str(target)),
            *(f"-L{TORCH / 'lib'}", "-ltorch_cpu", "-ltorch", "-lc10"),
        ],
        check=True,
    )


def asked_of_torch(library: Path) -> list[str]:
    """Undefined symbols, demangled, that neither the C nor the C++ library provides."""
    rows = subprocess.run(
        ["nm", "-D", "-C", "--undefined-only", str(library)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    names = [row.split(maxsplit=1)[1] for row in rows]
    return [n for n in names if "@" not in n and ("torch" in n or "c10::" in n or "at::" in n)]


def main() -> None:
    """Build it, list the symbols, and call it."""
    with tempfile.TemporaryDirectory() as temporary:
        library = Path(temporary) / "stable.so"
        build(library)
        symbols = asked_of_torch(library)
        torch.ops.load_library(str(library))
    plain_c = [s for s in symbols if s.startswith(("aoti_torch_", "torch_"))]
    print(f"{len(symbols)} symbols of torch, {len(plain_c)} of them C functions, such as")
    for name in plain_c[:4]:
        print("   ", name)
    assert symbols
    assert plain_c == symbols

    halve = torch.ops.hotloop_stable_proof.halve
    assert torch.equal(halve(torch.tensor([2.0, 6.0])), torch.tensor([1.0, 3.0]))
    refused = ""
    try:
        halve(torch.zeros(2, dtype=torch.float64))
    except RuntimeError as refusal:
        refused = str(refusal)
    assert "halve: float32 only" in refused
    print("float64 is refused by the launcher's own check")


if __name__ == "__main__":
    main()
