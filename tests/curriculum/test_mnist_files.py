"""MNIST as it is published: IDX files, gzipped or not, read through HOTLOOP_MNIST."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hotloop.core import paths

FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
COUNTS = {"train": 7, "t10k": 3}


@pytest.fixture(scope="module")
def mnist(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.exercises() / "xla_vs_eager" / "mnist.py")


def _idx(array: np.ndarray) -> bytes:
    """As the data set's page says: 0, 0, 8 for bytes, the number of sizes, big-endian sizes."""
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return struct.pack(">HBB", 0, 8, array.ndim) + sizes + array.tobytes()


def _arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    found: dict[str, np.ndarray] = {}
    for part, count in COUNTS.items():
        found[f"{part}-images-idx3-ubyte"] = rng.integers(0, 256, (count, 28, 28), np.uint8)
        found[f"{part}-labels-idx1-ubyte"] = rng.integers(0, 10, count, np.uint8)
    return found


def _written(folder: Path, name: Callable[[str], str], zipped: bool) -> dict[str, np.ndarray]:
    folder.mkdir(parents=True)
    arrays = _arrays()
    for each, array in arrays.items():
        data = _idx(array)
        (folder / name(each)).write_bytes(gzip.compress(data) if zipped else data)
    return arrays


FORMS: dict[str, tuple[str, Callable[[str], str], bool]] = {
    "as downloaded": ("", lambda name: f"{name}.gz", True),
    "unpacked": ("", lambda name: name, False),
    "unpacked with a dot": ("", lambda name: name.replace("-idx", ".idx"), False),
    "by torchvision": ("MNIST/raw", lambda name: name, False),
}


@pytest.mark.parametrize("form", FORMS)
def test_it_is_read_from_the_folder_that_the_variable_names(
    mnist: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    below, name, zipped = FORMS[form]
    arrays = _written(tmp_path / "data" / below, name, zipped)
    monkeypatch.setenv("HOTLOOP_MNIST", str(tmp_path / "data"))
    folder = mnist.folder()
    for part, count in COUNTS.items():
        images, labels = mnist.load(folder, part)
        assert (images.shape, images.dtype) == ((count, 28, 28, 1), np.float32)
        assert labels.dtype == np.int32
        assert labels.tolist() == arrays[f"{part}-labels-idx1-ubyte"].tolist()
        raw = arrays[f"{part}-images-idx3-ubyte"]
        for place in ((0, 0, 1), (1, 27, 0), (count - 1, 13, 5)):
            assert images[place][0] == pytest.approx(raw[place] / 255, abs=1e-7)


def test_without_the_variable_there_is_no_folder(
    mnist: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOTLOOP_MNIST", raising=False)
    assert mnist.folder() is None


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _of_another_type(path: Path) -> None:
    path.write_bytes(b"\0\0\x0d" + path.read_bytes()[3:])


def _a_page_of_html(path: Path) -> None:
    path.write_bytes(b"<!DOCTYPE html><title>404</title>")


def _cut_gzip(path: Path) -> None:
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes())[:-20])


def _removed(path: Path) -> None:
    path.unlink()


DAMAGE: dict[Callable[[Path], None], str] = {
    _cut: "ends early, at 5,388 bytes of 5,488",
    _of_another_type: "no IDX file of bytes",
    _a_page_of_html: "no IDX file of bytes",
    _cut_gzip: "ends early",
    _removed: "is not in",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__[1:])
def test_a_damaged_file_is_named(
    mnist: ModuleType, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    _written(tmp_path / "data", lambda name: name, False)
    damage(tmp_path / "data" / FILES[0])
    with pytest.raises(mnist.DataError, match=DAMAGE[damage]) as caught:
        mnist.load(tmp_path / "data")
    assert FILES[0] in str(caught.value)


def test_labels_of_another_part_are_noticed(mnist: ModuleType, tmp_path: Path) -> None:
    _written(tmp_path / "data", lambda name: name, False)
    other = (tmp_path / "data" / FILES[3]).read_bytes()
    (tmp_path / "data" / FILES[1]).write_bytes(other)
    with pytest.raises(mnist.DataError, match="7 images and 3 labels"):
        mnist.load(tmp_path / "data")


def test_drawn_digits_are_files_of_its_form(mnist: ModuleType, tmp_path: Path) -> None:
    mnist.draw(tmp_path / "drawn", 12)
    images, labels = mnist.load(tmp_path / "drawn")
    assert (images.shape, labels.shape) == ((12, 28, 28, 1), (12,))
    assert images.min() == 0
    assert 0.9 < images.max() <= 1
    raw = mnist.read(tmp_path / "drawn" / "train-images-idx3-ubyte.gz")
    assert (raw.dtype, raw.shape) == (np.uint8, (12, 28, 28))
    small = np.load(paths.exercises() / "xla_vs_eager" / "digits.npz")
    assert (raw[3, 2:26:3, 3:27:3] // 15 == small["images"][3]).all()
    assert labels.tolist() == small["labels"][:12].tolist()
