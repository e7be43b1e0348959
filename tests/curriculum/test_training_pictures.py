"""The pictures that learners train on: real CIFAR-10 files or a clear word about what is wrong."""

import hashlib
import io
import pickle
import struct
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from hotloop.core import paths

FOLDER = paths.exercises() / "profile_training_loop"
RECORDS = 7
NAMES = [f"data_batch_{number}.bin" for number in range(1, 6)] + ["test_batch.bin"]
CLASSES = [
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
]


@pytest.fixture(scope="module")
def data(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(FOLDER / "data.py")


@pytest.fixture
def small(data: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CIFAR-10's format with seven pictures a file, which count as the published ones."""
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    rng = np.random.default_rng(3)
    digests = {}
    for name in NAMES:
        records = rng.integers(0, 256, (RECORDS, 3073), dtype=np.uint8)
        records[:, 0] = rng.integers(0, 10, RECORDS)
        (folder / name).write_bytes(records.tobytes())
        digests[name] = hashlib.sha1(records.tobytes()).hexdigest()
    (folder / "batches.meta.txt").write_text("\n".join(CLASSES) + "\n\n")
    monkeypatch.setattr(data, "RECORDS", RECORDS)
    monkeypatch.setattr(data, "SHA1", digests)
    return folder


def _packed(folder: Path, target: Path) -> Path:
    with tarfile.open(target, "w:gz") as archive:
        archive.add(folder, arcname=folder.name)
    return target


def _trusted(data: ModuleType, monkeypatch: pytest.MonkeyPatch, archive: Path) -> None:
    digest = hashlib.md5(archive.read_bytes()).hexdigest()
    monkeypatch.setattr(data, "ARCHIVE_MD5", digest)


# --- CIFAR-10 -------------------------------------------------------------------------------------


def test_the_published_digests_are_these(data: ModuleType) -> None:
    assert data.RECORDS * data.RECORD == 30_730_000, "the size that the data set's page names"
    assert list(data.SHA1) == NAMES
    assert all(len(digest) == 40 for digest in data.SHA1.values())
    assert len(set(data.SHA1.values())) == 6


def test_a_folder_is_read_plane_by_plane(data: ModuleType, small: Path) -> None:
    found = data.load(small)
    assert found.source == "CIFAR-10"
    assert found.classes == tuple(CLASSES)
    assert found.images.shape == (5 * RECORDS, 32, 32, 3)
    assert found.images.dtype == torch.uint8
    assert found.labels.dtype == torch.int64
    assert found.test_images.shape == (RECORDS, 32, 32, 3)
    raw = (small / "data_batch_2.bin").read_bytes()[3073 * 4 : 3073 * 5]
    picture = RECORDS + 4
    assert found.labels[picture] == raw[0]
    for channel, row, column in ((0, 0, 1), (1, 5, 31), (2, 31, 0)):
        place = 1 + 1024 * channel + 32 * row + column
        assert found.images[picture, row, column, channel] == raw[place]


def test_the_folder_above_and_the_archive_give_the_same(
    data: ModuleType, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = _packed(small, tmp_path / "cifar-10-binary.tar.gz")
    _trusted(data, monkeypatch, archive)
    before = sorted(tmp_path.rglob("*"))
    wanted = data.load(small)
    for found in (data.load(small.parent), data.load(str(archive))):
        assert torch.equal(found.images, wanted.images)
        assert torch.equal(found.test_labels, wanted.test_labels)
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked"


def _cut(folder: Path) -> None:
    path = folder / "data_batch_3.bin"
    path.write_bytes(path.read_bytes()[:-1000])


def _lengthened(folder: Path) -> None:
    path = folder / "data_batch_3.bin"
    path.write_bytes(path.read_bytes() + b"\0")


def _emptied(folder: Path) -> None:
    (folder / "data_batch_3.bin").write_bytes(b"")


def _removed(folder: Path) -> None:
    (folder / "test_batch.bin").unlink()


def _flipped(folder: Path) -> None:
    content = bytearray((folder / "data_batch_3.bin").read_bytes())
    content[2000] ^= 1
    (folder / "data_batch_3.bin").write_bytes(content)


def _shifted(folder: Path) -> None:
    """A byte too many in front, one too few at the end."""
    content = (folder / "data_batch_3.bin").read_bytes()
    (folder / "data_batch_3.bin").write_bytes(b"\xff" + content[:-1])


def _swapped(folder: Path) -> None:
    one, other = folder / "data_batch_1.bin", folder / "data_batch_3.bin"
    first, third = one.read_bytes(), other.read_bytes()
    one.write_bytes(third)
    other.write_bytes(first)


def _nameless(folder: Path) -> None:
    (folder / "batches.meta.txt").unlink()


def _misnamed(folder: Path) -> None:
    (folder / "batches.meta.txt").write_text("cat\ncat\n")


def _a_folder_instead(folder: Path) -> None:
    (folder / "data_batch_3.bin").unlink()
    (folder / "data_batch_3.bin").mkdir()


def _pickled(folder: Path) -> None:
    (folder / "data_batch_1").write_bytes(b"\x80\x02}q\x01.")


DAMAGE: dict[Callable[[Path], None], str] = {
    _cut: r"data_batch_3\.bin: it ends early, at 20,511 bytes of 21,511: .* cut off",
    _lengthened: r"data_batch_3\.bin: it is longer than 7 pictures",
    _emptied: r"data_batch_3\.bin: it ends early, at 0 bytes",
    _removed: r"test_batch\.bin: this file is missing",
    _flipped: r"data_batch_3\.bin: it is damaged: some bytes are not those published",
    _shifted: r"data_batch_3\.bin: it is damaged: it has a class 255",
    _swapped: r"data_batch_1\.bin: it is damaged: some bytes are not those published",
    _nameless: r"batches\.meta\.txt: this file is missing",
    _misnamed: r"batches\.meta\.txt: it must name 10 classes",
    _pickled: r"this is the Python version, which is not read",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__[1:])
def test_a_damaged_folder_is_refused_with_advice(
    data: ModuleType, small: Path, damage: Callable[[Path], None]
) -> None:
    damage(small)
    with pytest.raises(data.DataError, match=DAMAGE[damage]) as caught:
        data.load(small)
    assert "Download the binary version again from https://" in str(caught.value)


def test_what_cannot_be_read_says_so(data: ModuleType, small: Path) -> None:
    _a_folder_instead(small)
    with pytest.raises(data.DataError, match=r"data_batch_3\.bin: it cannot be read"):
        data.load(small)


def test_nothing_and_one_file_of_six_are_told_apart(
    data: ModuleType, small: Path, tmp_path: Path
) -> None:
    with pytest.raises(data.DataError, match=r"elsewhere: there is nothing here\. Download"):
        data.load(tmp_path / "elsewhere")
    with pytest.raises(data.DataError, match="one file of six"):
        data.load(small / "data_batch_1.bin")


def test_another_archive_is_not_opened(data: ModuleType, small: Path, tmp_path: Path) -> None:
    archive = _packed(small, tmp_path / "cifar-10-binary.tar.gz")
    with pytest.raises(data.DataError, match=r"its MD5 is [0-9a-f]{32} and not c32a1d4ab5"):
        data.load(archive)


def test_a_truncated_archive_is_refused(
    data: ModuleType, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = _packed(small, tmp_path / "cifar-10-binary.tar.gz")
    _trusted(data, monkeypatch, archive)
    archive.write_bytes(archive.read_bytes()[:-5000])
    with pytest.raises(data.DataError, match="or it is damaged"):
        data.load(archive)


def test_an_archive_that_passes_and_cannot_be_unpacked_is_refused_too(
    data: ModuleType, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _packed(small, tmp_path / "whole.tar.gz").read_bytes()
    archive = tmp_path / "cifar-10-binary.tar.gz"
    for content in (whole[: len(whole) // 2], b"no archive at all"):
        archive.write_bytes(content)
        _trusted(data, monkeypatch, archive)
        with pytest.raises(data.DataError, match="it cannot be unpacked"):
            data.load(archive)


def test_an_archive_without_a_file_says_which(
    data: ModuleType, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small / "data_batch_4.bin").unlink()
    archive = _packed(small, tmp_path / "cifar-10-binary.tar.gz")
    _trusted(data, monkeypatch, archive)
    with pytest.raises(data.DataError, match=r"data_batch_4\.bin: this file is missing"):
        data.load(archive)


def test_a_link_in_an_archive_is_not_followed(
    data: ModuleType, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "cifar-10-binary.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        link = tarfile.TarInfo("cifar-10-batches-bin/batches.meta.txt")
        link.type, link.linkname = tarfile.SYMTYPE, str(small / "batches.meta.txt")
        out.addfile(link, io.BytesIO())
    _trusted(data, monkeypatch, archive)
    with pytest.raises(data.DataError, match=r"batches\.meta\.txt: this file is missing"):
        data.load(archive)


# --- what needs no download -----------------------------------------------------------------------


@pytest.mark.slow
def test_without_anything_there_are_stripes_always_the_same(
    data: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    found, again = data.load(), data.load()
    assert found.source == "synthetic stripes"
    assert found.images.dtype == torch.uint8
    assert found.images.shape == (2000, 32, 32, 3)
    assert found.test_images.shape == (400, 32, 32, 3)
    assert torch.equal(found.images, again.images)
    assert torch.equal(found.test_labels, again.test_labels)
    assert len(found.classes) == 10
    assert set(found.labels.tolist()) == set(found.test_labels.tolist()) == set(range(10))


@pytest.mark.slow
def test_stripes_are_learnt_and_noise_is_not(data: ModuleType) -> None:
    found = data.stripes()
    assert _accuracy(found, found.labels) > 0.8
    generator = torch.Generator().manual_seed(1)
    shuffled = found.labels[torch.randperm(len(found.labels), generator=generator)]
    assert _accuracy(found, shuffled) < 0.3, "labels that belong to no picture teach nothing"


def _accuracy(found: Any, labels: torch.Tensor) -> float:
    """Of the nearest neighbor by the strengths of all frequencies, which a phase does not move."""

    def features(images: torch.Tensor) -> torch.Tensor:
        grey = images.float().mean(3) - images.float().mean(dim=(1, 2, 3))[:, None, None]
        return torch.fft.rfft2(grey).abs().flatten(1)

    distances = torch.cdist(features(found.test_images), features(found.images))
    guesses = labels[distances.argmin(1)]
    return float((guesses == found.test_labels).float().mean())


def test_digits_of_an_installed_scikit_learn_come_first(
    data: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = np.zeros((50, 8, 8))
    images[:, 2, 3] = np.arange(50) % 17
    labels = np.arange(50) % 10
    module: Any = ModuleType("sklearn.datasets")
    module.load_digits = lambda: SimpleNamespace(images=images, target=labels)
    monkeypatch.setitem(sys.modules, "sklearn", ModuleType("sklearn"))
    monkeypatch.setitem(sys.modules, "sklearn.datasets", module)
    found = data.load()
    assert found.source == "scikit-learn's digits"
    assert found.images.shape == (40, 32, 32, 3)
    assert found.test_images.shape == (10, 32, 32, 3)
    assert found.images.max() == 255
    pictures = torch.cat([found.images, found.test_images])
    answers = torch.cat([found.labels, found.test_labels])
    for picture, label in zip(pictures, answers, strict=True):
        square = picture[8:12, 12:16]
        assert (square == square[0, 0, 0]).all()
        values = {round(int(n) % 17 * 255 / 16) for n in range(50) if n % 10 == label}
        assert int(square[0, 0, 0]) in values
        assert int(picture.sum()) == int(square.sum())


# --- by torchvision -------------------------------------------------------------------------------


def _torchvision(monkeypatch: pytest.MonkeyPatch, cifar10: Callable[..., Any]) -> None:
    monkeypatch.setitem(sys.modules, "torchvision", ModuleType("torchvision"))
    datasets = SimpleNamespace(CIFAR10=cifar10)
    monkeypatch.setitem(sys.modules, "torchvision.datasets", datasets)  # pyright: ignore


def test_torchvisions_download_becomes_the_same_pictures(
    data: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool, bool]] = []

    def cifar10(root: str, *, train: bool, download: bool) -> SimpleNamespace:
        asked.append((root, train, download))
        count = 5 if train else 2
        pictures = np.full((count, 32, 32, 3), count, np.uint8)
        return SimpleNamespace(data=pictures, targets=list(range(count)), classes=CLASSES)

    _torchvision(monkeypatch, cifar10)
    found = data.download(tmp_path)
    assert asked == [(str(tmp_path), True, True), (str(tmp_path), False, True)]
    assert found.images.shape == (5, 32, 32, 3)
    assert found.images.dtype == torch.uint8
    assert found.labels.tolist() == [0, 1, 2, 3, 4]
    assert found.test_labels.dtype == torch.int64
    assert found.classes == tuple(CLASSES)
    assert found.source == "CIFAR-10"


def test_without_torchvision_or_a_network_it_says_what_to_do(
    data: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torchvision.datasets", None)  # pyright: ignore
    with pytest.raises(data.DataError, match="pip install torchvision"):
        data.download(tmp_path)

    def cifar10(*_: Any, **__: Any) -> None:
        raise RuntimeError("Error downloading cifar-10-python.tar.gz")

    _torchvision(monkeypatch, cifar10)
    with pytest.raises(data.DataError, match="Give `load` a path"):
        data.download(tmp_path)


class _Python2(pickle._Pickler):  # pyright: ignore
    """Bytes as Python 2 wrote its strings, which the published batches are full of."""

    def _string(self, value: bytes) -> None:
        self.write(b"T" + struct.pack("<i", len(value)) + value)  # pyright: ignore

    dispatch: ClassVar[Any] = {**pickle._Pickler.dispatch, bytes: _string}  # pyright: ignore


def _pickled_by_python_2(value: Any) -> bytes:
    out = io.BytesIO()
    _Python2(out, protocol=2).dump(value)
    return out.getvalue()


def test_the_python_version_is_read_by_torchvision_itself(
    data: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pickles as they are published: a dict of bytes, with rows of three planes, and names."""
    vision = pytest.importorskip("torchvision.datasets", reason="pip install torchvision")
    rng = np.random.default_rng(4)
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    batches: dict[str, dict[bytes, Any]] = {}
    for name in [f"data_batch_{number}" for number in range(1, 6)] + ["test_batch"]:
        batches[name] = {
            b"batch_label": name.encode(),
            b"labels": rng.integers(0, 10, RECORDS).tolist(),
            b"data": rng.integers(0, 256, (RECORDS, 3072), dtype=np.uint8),
            b"filenames": [b"x.png"] * RECORDS,
        }
        (folder / name).write_bytes(_pickled_by_python_2(batches[name]))
    meta = {b"num_cases_per_batch": 10000, b"label_names": [name.encode() for name in CLASSES]}
    (folder / "batches.meta").write_bytes(_pickled_by_python_2(meta))

    def known(names: Sequence[str]) -> list[list[str]]:
        return [[each, hashlib.md5((folder / each).read_bytes()).hexdigest()] for each in names]

    names = list(batches)
    monkeypatch.setattr(vision.CIFAR10, "train_list", known(names[:5]))
    monkeypatch.setattr(vision.CIFAR10, "test_list", known(names[5:]))
    (digest,) = known(["batches.meta"])
    key = {"filename": digest[0], "key": "label_names", "md5": digest[1]}
    monkeypatch.setattr(vision.CIFAR10, "meta", key)
    found = data.download(tmp_path)
    assert found.images.shape == (5 * RECORDS, 32, 32, 3)
    assert found.test_images.shape == (RECORDS, 32, 32, 3)
    assert found.classes == tuple(CLASSES)
    second = batches["data_batch_2"]
    assert found.labels[RECORDS : 2 * RECORDS].tolist() == second[b"labels"]
    for channel, row, column in ((0, 0, 1), (1, 5, 31), (2, 31, 0)):
        place = 1024 * channel + 32 * row + column
        assert found.images[RECORDS + 4, row, column, channel] == second[b"data"][4, place]


# --- in the files' own format ---------------------------------------------------------------------


def test_records_are_those_of_the_files(data: ModuleType, small: Path) -> None:
    one = small / NAMES[2]
    found = data.records(one)
    assert found.numpy().tobytes() == one.read_bytes()
    everything = data.records(small)
    assert everything.shape == (5 * RECORDS, 3073)
    assert torch.equal(everything[2 * RECORDS : 3 * RECORDS], found)


def test_records_without_a_path_are_drawn(data: ModuleType) -> None:
    found, pictures = data.records(), data.load()
    assert found.dtype == torch.uint8
    assert torch.equal(found[:, 0].long(), pictures.labels)
    assert torch.equal(found[5, 1:].view(3, 32, 32), pictures.images[5].movedim(2, 0))


def test_a_file_that_holds_no_records_is_told(data: ModuleType, tmp_path: Path) -> None:
    cases = {"short.bin": b"12", "empty.bin": b"", "classes.bin": bytes([200]) * 3073}
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(data.DataError, match=name):
            data.records(tmp_path / name)
    with pytest.raises(data.DataError, match="cannot be read"):
        data.records(tmp_path / "missing.bin")
