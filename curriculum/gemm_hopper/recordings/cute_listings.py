"""Record the PTX that task read_cute asks about: the reference in CuTe DSL with several constants.

In the environment of `hotloop doctor --install tile_languages`:

    python curriculum/gemm_hopper/recordings/cute_listings.py
"""

import importlib.util
import tempfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]
KERNEL = ROOT / "solutions" / "gemm_hopper" / "cute_dsl.py"
TARGET = ROOT / "graders" / "hotloop" / "tasks" / "modules" / "gemm_hopper" / "listings"
# Columns, slots, rows, depth, threads that multiply, registers of both roles.
KERNELS = (
    (64, 2, 128, 64, 256, 40, 232),
    (128, 4, 128, 64, 256, 24, 240),
    (256, 3, 128, 64, 256, 40, 232),
    (96, 5, 64, 128, 128, 56, 208),
    (192, 2, 192, 32, 384, 32, 160),
)


def kernel(
    text: str, folder: Path, rows: int, depth: int, consumers: int, fewer: int, more: int
) -> ModuleType:
    """Return the reference with other constants, as a module."""
    for old, new in (
        ("TILE_M, TILE_K = 128, 64", f"TILE_M, TILE_K = {rows}, {depth}"),
        ("CONSUMERS, THREADS = 256, 384", f"CONSUMERS, THREADS = {consumers}, {consumers + 128}"),
        ("setmaxregister_decrease(40)", f"setmaxregister_decrease({fewer})"),
        ("setmaxregister_increase(232)", f"setmaxregister_increase({more})"),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "cute_kernel.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("cute_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Compile and write."""
    text = KERNEL.read_text(encoding="utf-8")
    for columns, slots, *constants in KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            listing = Path(folder) / "kernel.ptx"
            module = kernel(text, Path(folder), *constants)
            module.export_ptx(columns, slots, str(listing))
            name = f"cute_{constants[0]}x{columns}x{constants[1]}_{slots}.ptx"
            (TARGET / name).write_bytes(listing.read_bytes())


if __name__ == "__main__":
    main()
