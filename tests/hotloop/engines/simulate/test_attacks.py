"""Kernels that try to move bytes uncounted, or to access foreign memory: attacks/*.cu.

The first line of each says the required result: `// counted: 128` (bytes of global memory written,
and no finding), `// found: race` (a finding of this kind, with its line), or `// refused`.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.problem import SimulatorError

Source = Callable[..., Path]

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.cu"))
MAIN = """
int main() {
  float* x;
  cudaMalloc(&x, 1 << 16);
  cudaMemset(x, 0, 1 << 16);
  k<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
"""
EXPECT = re.compile(r"// (counted|found|refused)(?:: (\w+))?")


def test_there_are_attacks_of_each_kind() -> None:
    kinds = [EXPECT.match(path.read_text(encoding="utf-8")) for path in ATTACKS]
    assert all(kinds)
    assert {kind[1] for kind in kinds if kind} == {"counted", "found", "refused"}
    assert len(ATTACKS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda p: p.stem)
def test_nothing_goes_unseen(source: Source, attack: Path) -> None:
    text = attack.read_text(encoding="utf-8")
    said = EXPECT.match(text)
    assert said is not None
    path = source(text + MAIN)
    if said[1] == "refused":
        with pytest.raises(SimulatorError):
            build.program([path], checked=True)
        return
    done = host.run(build.program([path], checked=True), timeout_s=20)
    if said[1] == "counted":
        assert (done.status, done.report.findings) == (0, [])
        assert done.report.bytes("write") == int(said[2])
        return
    assert said[2] in {f.kind for f in done.report.findings}
    assert all(f.lines for f in done.report.findings)


@pytest.mark.slow
def test_of_kernels_alone_no_host_code_is_compiled(source: Source) -> None:
    text = (
        "static float* place;\n"
        "__attribute__((constructor)) static void early() { place = (float*)0x30010000; }\n"
        "__device__ int early_too = 3;\n"
        "__global__ void k(float* x) { x[threadIdx.x] = early_too; }"
    )
    built = build.kernels([source(text)], checked=True)
    assert not (built.folder / "host.cwasm").exists()
    assert [k.name for k in built.kernels] == ["k"]
