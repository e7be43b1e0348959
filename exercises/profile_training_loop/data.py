"""Pictures to train on: CIFAR-10 if you have it, else scikit-learn's digits, else stripes.

    load()                              # nothing to download
    load("cifar-10-binary.tar.gz")      # the archive as it was downloaded
    load("cifar-10-batches-bin")        # or the folder that it unpacks to
    download("cifar10")                 # CIFAR-10 by torchvision, where there is a network
    records(...)                        # the same paths, or one .bin file: in the files' own format

CIFAR-10 (Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009) comes from
https://www.cs.toronto.edu/~kriz/cifar.html as the "binary version (suitable for C programs)". The
Python version is a pickle, which runs whatever code its author put there: `load` does not read it.
torchvision downloads that version, and compares the archive with the published MD5 before it does.
"""

import hashlib
import importlib
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

SIDE = 32
PIXELS = 3 * SIDE * SIDE
RECORD = 1 + PIXELS
"""A label, then the red, the green and the blue plane, row by row."""

RECORDS = 10_000
"""Pictures in each file."""

CLASSES = 10
NAMES = "batches.meta.txt"
TEST = "test_batch.bin"
FOLDER = "cifar-10-batches-bin"

# Published on the data set's own page.
ARCHIVE_MD5 = "c32a1d4ab5d03f1284b67883e8d87530"

# Its authors publish none for the single files. These are from the loader of Apache MXNet
# (gluon/data/vision/datasets.py), which compared what it had unpacked from the authors' archive.
SHA1 = {
    "data_batch_1.bin": "aadd24acce27caa71bf4b10992e9e7b2d74c2540",
    "data_batch_2.bin": "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795",
    "data_batch_3.bin": "1dd00a74ab1d17a6e7d73e185b69dbf31242f295",
    "data_batch_4.bin": "aab85764eb3584312d3c7f65fd2fd016e36a258e",
    "data_batch_5.bin": "26e2849e66a845b7f1e4614ae70f4889ae604628",
    TEST: "67eb016db431130d61cd03c7ad570b013799c88c",
}

AGAIN = "Download the binary version again from https://www.cs.toronto.edu/~kriz/cifar.html."


class DataError(Exception):
    """What is wrong with a file, and what to do about it."""


@dataclass(frozen=True)
class Pictures:
    """Bytes [n, 32, 32, 3] and int64 labels [n], once to train on and once to test with."""

    images: torch.Tensor
    labels: torch.Tensor
    test_images: torch.Tensor
    test_labels: torch.Tensor
    classes: tuple[str, ...]
    source: str
    """In words: `CIFAR-10`, `scikit-learn's digits` or `synthetic stripes`."""


def load(path: str | Path | None = None) -> Pictures:
    """CIFAR-10 of a path; without one the digits of scikit-learn, or stripes if it is not here.

    DataError says what is wrong with the file and what to do.
    """
    if path is not None:
        return cifar10(Path(path))
    return digits() or stripes()


def download(folder: str | Path) -> Pictures:
    """CIFAR-10 by torchvision, which downloads 170 MB unless they lie in the folder already.

    DataError without torchvision or a network.
    """
    try:
        datasets = importlib.import_module("torchvision.datasets")
    except ImportError:
        raise DataError(
            "torchvision is not installed: `pip install torchvision` in the version for your torch."
        ) from None
    try:
        parts = [
            datasets.CIFAR10(str(folder), train=train, download=True) for train in (True, False)
        ]
    except (OSError, RuntimeError) as error:
        raise DataError(
            f"{folder}: torchvision could not download CIFAR-10 ({error}). Give `load` a path."
        ) from None
    images = [torch.from_numpy(np.ascontiguousarray(part.data)) for part in parts]
    labels = [torch.tensor(part.targets, dtype=torch.int64) for part in parts]
    classes = tuple(parts[0].classes)
    return Pictures(images[0], labels[0], images[1], labels[1], classes, "CIFAR-10")


def records(path: str | Path | None = None) -> torch.Tensor:
    """Pictures to train on in CIFAR-10's binary format: uint8 [n, 3073], a label and three planes.

    path: one file of that format, with any number of pictures, or as for `load`; without it those
    that `load` draws. DataError says what is wrong with the file and what to do.
    """
    if path is None or Path(path).suffix != ".bin":
        pictures = load(path)
        planes = pictures.images.movedim(3, 1).reshape(-1, PIXELS)
        return torch.cat([pictures.labels[:, None].to(torch.uint8), planes], 1)
    try:
        content = np.fromfile(path, np.uint8)
    except OSError as error:
        raise DataError(f"{path}: it cannot be read ({error.strerror}).") from None
    if not len(content) or len(content) % RECORD:
        raise DataError(f"{path}: {len(content):,} bytes are no records of {RECORD:,}. {AGAIN}")
    found = torch.from_numpy(content.reshape(-1, RECORD))
    if (worst := int(found[:, 0].max())) >= CLASSES:
        raise DataError(
            f"{path}: it is damaged: it has a class {worst}, and 9 is the last. {AGAIN}"
        )
    return found


# --- CIFAR-10 -------------------------------------------------------------------------------------

Fetch = Callable[[str, int], bytes | None]
"""At most so many bytes of the file of a name; None when there is no such file."""


def cifar10(path: Path) -> Pictures:
    """Read the archive, or the folder with its six files."""
    path = path.expanduser()
    if path.is_dir():
        return _pictures(_folder(path))
    if not path.exists():
        raise DataError(f"{path}: there is nothing here. {AGAIN}")
    if path.suffix == ".bin":
        raise DataError(f"{path}: this is one file of six. Give the folder that it lies in.")
    return _archive(path)


def _folder(path: Path) -> Fetch:
    inside = path / FOLDER
    folder = inside if inside.is_dir() else path
    if (folder / "data_batch_1").exists() or (path / "cifar-10-batches-py").exists():
        raise DataError(f"{path}: this is the Python version, which is not read. {AGAIN}")

    def fetch(name: str, most: int) -> bytes | None:
        try:
            with (folder / name).open("rb") as file:
                return file.read(most)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(f"{folder / name}: it cannot be read ({error.strerror}).") from None

    return fetch


def _archive(path: Path) -> Pictures:
    """From the archive itself; nothing is unpacked to the disk."""
    if (found := _digest(path)) != ARCHIVE_MD5:
        raise DataError(
            f"{path}: this is not the binary version's archive, or it is damaged: its MD5 is "
            f"{found} and not {ARCHIVE_MD5}. {AGAIN}"
        )
    try:
        with tarfile.open(path, "r:gz") as archive:

            def fetch(name: str, most: int) -> bytes | None:
                try:
                    file = archive.extractfile(f"{FOLDER}/{name}")
                except KeyError:
                    return None
                return None if file is None else file.read(most)

            return _pictures(fetch)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError(f"{path}: it cannot be unpacked ({error}). {AGAIN}") from None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "md5").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: it cannot be read ({error.strerror}).") from None


def _pictures(fetch: Fetch) -> Pictures:
    classes = _names(fetch)
    parts = {name: _records(name, fetch) for name in SHA1}
    test_images, test_labels = parts.pop(TEST)
    images, labels = zip(*parts.values(), strict=True)
    return Pictures(
        torch.cat(images), torch.cat(labels), test_images, test_labels, classes, "CIFAR-10"
    )


def _names(fetch: Fetch) -> tuple[str, ...]:
    text = fetch(NAMES, 4096)
    if text is None:
        raise DataError(f"{NAMES}: this file is missing. {AGAIN}")
    names = tuple(text.decode("ascii", errors="replace").split())
    if len(names) != CLASSES or len(set(names)) != CLASSES:
        raise DataError(f"{NAMES}: it must name {CLASSES} classes, one a line. {AGAIN}")
    return names


def _records(name: str, fetch: Fetch) -> tuple[torch.Tensor, torch.Tensor]:
    """One file as images and labels. Each check has a reason of its own to give."""
    wanted = RECORDS * RECORD
    content = fetch(name, wanted + 1)
    if content is None:
        raise DataError(f"{name}: this file is missing, and all six are needed. {AGAIN}")
    if len(content) < wanted:
        raise DataError(
            f"{name}: it ends early, at {len(content):,} bytes of {wanted:,}: the download or the "
            f"unpacking was cut off. {AGAIN}"
        )
    if len(content) > wanted:
        raise DataError(
            f"{name}: it is longer than {RECORDS:,} pictures of {RECORD:,} bytes. {AGAIN}"
        )
    records = np.frombuffer(content, np.uint8).reshape(RECORDS, RECORD)
    if (worst := int(records[:, 0].max())) >= CLASSES:
        raise DataError(
            f"{name}: it is damaged: it has a class {worst}, and 9 is the last. {AGAIN}"
        )
    if hashlib.sha1(content, usedforsecurity=False).hexdigest() != SHA1[name]:
        raise DataError(f"{name}: it is damaged: some bytes are not those published. {AGAIN}")
    planes = records[:, 1:].reshape(RECORDS, 3, SIDE, SIDE)
    images = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))
    return torch.from_numpy(images), torch.from_numpy(records[:, 0].astype(np.int64))


# --- what needs no download -----------------------------------------------------------------------

SEED = 0


def digits() -> Pictures | None:
    """Handwritten digits of 8×8 pixels, each pixel four by four; None without scikit-learn."""
    try:
        found = importlib.import_module("sklearn.datasets").load_digits()
    except ImportError:
        return None
    grey = np.rint(np.asarray(found.images) * (255 / 16)).astype(np.uint8)
    large = grey.repeat(4, axis=1).repeat(4, axis=2)
    images = np.repeat(large[..., None], 3, axis=3)
    labels = np.asarray(found.target).astype(np.int64)
    order = np.random.default_rng(SEED).permutation(len(labels))
    names = tuple(str(digit) for digit in range(CLASSES))
    return _split(images[order], labels[order], len(labels) // 5, names, "scikit-learn's digits")


def stripes(count: int = 2000, test_count: int = 400) -> Pictures:
    """Ten classes of noisy stripes, each of its own direction, width and tint; always the same."""
    rng = np.random.default_rng(SEED)
    total = count + test_count
    angles = np.pi * np.arange(CLASSES) / CLASSES
    waves = (2 * np.pi / rng.uniform(4, 10, CLASSES))[:, None] * np.stack(
        [np.cos(angles), np.sin(angles)], axis=1
    )
    tints = rng.uniform(-30, 30, (CLASSES, 3)).astype(np.float32)
    labels = rng.integers(0, CLASSES, total)
    y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32)
    down, right = waves[labels].astype(np.float32).T[:, :, None, None]
    phase = rng.uniform(0, 2 * np.pi, (total, 1, 1)).astype(np.float32)
    values = 128 + 40 * np.sin(down * y + right * x + phase)[..., None]
    values = values + tints[labels][:, None, None, :]
    values += 30 * rng.standard_normal(values.shape, dtype=np.float32)
    images = np.clip(values, 0, 255).astype(np.uint8)
    names = tuple(f"stripes at {18 * number}°" for number in range(CLASSES))
    return _split(images, labels, test_count, names, "synthetic stripes")


def _split(
    images: np.ndarray, labels: np.ndarray, test: int, classes: tuple[str, ...], source: str
) -> Pictures:
    """The last ones are for testing."""
    pictures, answers = torch.from_numpy(images), torch.from_numpy(labels)
    return Pictures(
        pictures[:-test], answers[:-test], pictures[-test:], answers[-test:], classes, source
    )
