"""__half and __nv_bfloat16: the bits of a GPU's results, for every value."""

from pathlib import Path

import numpy as np
import pytest
import torch

from hotloop.engines.simulate import build, host

PROGRAM = """\
#include <cstdio>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T, class F>
void convert(const char* in, const char* out, F f) {
  FILE* file = std::fopen(in, "rb");
  std::vector<T> values(1 << 20);
  values.resize(std::fread(values.data(), sizeof(T), values.size(), file));
  std::fclose(file);
  file = std::fopen(out, "wb");
  for (const T v : values) {
    const auto r = f(v);
    std::fwrite(&r, sizeof r, 1, file);
  }
  std::fclose(file);
}
int main() {
  convert<float>("floats", "to_half", [](float x) { return __float2half(x); });
  convert<float>("floats", "to_bfloat", [](float x) { return __float2bfloat16(x); });
  convert<__half>("bits", "from_half", [](__half x) { return __half2float(x); });
  convert<__nv_bfloat16>("bits", "from_bfloat",
                         [](__nv_bfloat16 x) { return __bfloat162float(x); });
  convert<__half2>("bits", "sums", [](__half2 x) { return __hadd(x.x, x.y); });
  convert<__half2>("bits", "products", [](__half2 x) { return x.x * x.y; });
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program has converted every half, and floats near every rounding boundary."""
    path = tmp_path_factory.mktemp("floats")
    (path / "program.cu").write_text(PROGRAM)
    generator = np.random.default_rng(7)
    bits = np.concatenate([np.arange(65536), generator.permutation(65536)]).astype(np.uint16)
    bits.tofile(path / "bits")
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    halves = halves[np.isfinite(halves)]
    between = [halves, np.nextafter(halves, np.float32(0)), halves * np.float32(1 + 2**-11)]
    anything = generator.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
    np.concatenate([*between, anything]).astype(np.float32).tofile(path / "floats")
    assert host.run(build.program([path / "program.cu"], checked=False), cwd=path).status == 0
    return path


def halves(path: Path) -> np.ndarray:
    return np.fromfile(path, np.uint16).view(np.float16)


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    """Return whether bits are equal; any NaN equals any NaN."""
    nan = np.isnan(expected.astype(np.float32))
    kind = np.uint16 if expected.dtype == np.float16 else np.uint32
    equal = got.view(kind)[~nan] == expected.view(kind)[~nan]
    return bool(np.isnan(got[nan].astype(np.float32)).all() and equal.all())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_float_to_half(folder: Path) -> None:
    expected = np.fromfile(folder / "floats", np.float32).astype(np.float16)
    assert same(halves(folder / "to_half"), expected)


@pytest.mark.slow
def test_half_to_float(folder: Path) -> None:
    expected = halves(folder / "bits").astype(np.float32)
    assert same(np.fromfile(folder / "from_half", np.float32), expected)


@pytest.mark.slow
def test_bfloat16_both_ways(folder: Path) -> None:
    floats = torch.from_numpy(np.fromfile(folder / "floats", np.float32))
    got = torch.from_numpy(np.fromfile(folder / "to_bfloat", np.int16)).view(torch.bfloat16)
    assert torch.equal(got.nan_to_num(1.5), floats.bfloat16().nan_to_num(1.5))
    bits = torch.from_numpy(np.fromfile(folder / "bits", np.int16)).view(torch.bfloat16)
    back = torch.from_numpy(np.fromfile(folder / "from_bfloat", np.float32))
    assert torch.equal(back.nan_to_num(1.5), bits.float().nan_to_num(1.5))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_sums_and_products_are_rounded_once(folder: Path) -> None:
    pairs = halves(folder / "bits").astype(np.float64).reshape(-1, 2)
    assert same(halves(folder / "sums"), (pairs[:, 0] + pairs[:, 1]).astype(np.float16))
    assert same(halves(folder / "products"), (pairs[:, 0] * pairs[:, 1]).astype(np.float16))
