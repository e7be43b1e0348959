"""Mutations of a notebook's JSON and of its bytes."""

import gzip
import json
from random import Random

from notebook_mutations.registry import Notebook, text


def written(notebook: Notebook) -> str:
    """Serialize as Jupyter does, including values that only mutations insert."""
    return json.dumps(notebook, indent=1)


def data(notebook: Notebook) -> bytes:
    """Return the notebook file's bytes."""
    return written(notebook).encode()


def inside_metadata(notebook: Notebook, raw: str) -> bytes:
    """Return the file with `raw` as a value in the notebook's metadata."""
    marked = {**notebook, "metadata": {"place": "@PLACE@"}}
    return written(marked).replace('"@PLACE@"', raw).encode()


# --- JSON -----------------------------------------------------------------------------------------


@text("json", "same")
def keys_twice(rng: Random, notebook: Notebook) -> bytes:
    # The last one counts, in Python's parser as in JavaScript's.
    return b'{"cells": [], "nbformat": 1, "cells": null, ' + data(notebook)[1:]


@text("json", "same")
def keys_of_a_cell_twice(rng: Random, notebook: Notebook) -> bytes:
    return data(notebook).replace(b'"cell_type": ', b'"cell_type": "raw", "cell_type": ')


@text("json", "same")
def no_numbers(rng: Random, notebook: Notebook) -> bytes:
    return inside_metadata(notebook, "[NaN, Infinity, -Infinity, 1e99999, -1e-99999]")


@text("json", "same")
def huge_integer(rng: Random, notebook: Notebook) -> bytes:
    return inside_metadata(notebook, "9" * rng.choice([4300, 4301, 100_000]))


@text("json", "any")
def very_deep(rng: Random, notebook: Notebook) -> bytes:
    depth = rng.choice([900, 990, 5_000, 200_000])
    return inside_metadata(notebook, "[" * depth + "]" * depth)


@text("json", "unreadable")
def endless_nesting(rng: Random, notebook: Notebook) -> bytes:
    return rng.choice([b"[", b'{"cells":', b'{"a":[']) * 300_000


@text("json", "same")
def escaped_throughout(rng: Random, notebook: Notebook) -> bytes:
    plain = written(notebook)
    return plain.replace('"cells"', '"\\u0063ells"').replace('"source"', '"\\u0073ource"').encode()


@text("json", "unreadable")
def another_document(rng: Random, notebook: Notebook) -> bytes:
    return rng.choice([b"null", b"7", b'"text"', b"[]", b"[{}]", b"true", b"NaN", b"{}"])


@text("json", "unreadable")
def nearly_json(rng: Random, notebook: Notebook) -> bytes:
    plain = written(notebook)
    wrong = [repr(notebook), plain.replace('"', "'"), plain[:-1] + ",}", f"// mine\n{plain}"]
    return rng.choice(wrong).encode("utf-8", "replace")


# --- bytes ----------------------------------------------------------------------------------------


@text("bytes", "unreadable")
def nothing(rng: Random, notebook: Notebook) -> bytes:
    return rng.choice([b"", b" ", b"\n\n", b"\t" * 5000, b"\xef\xbb\xbf"])


@text("bytes", "unreadable")
def cut_off(rng: Random, notebook: Notebook) -> bytes:
    whole = data(notebook)
    return whole[: rng.randint(1, len(whole) - 2)]


@text("bytes", "same")
def byte_order_mark(rng: Random, notebook: Notebook) -> bytes:
    return b"\xef\xbb\xbf" + data(notebook)


@text("bytes", "same")
def utf_16(rng: Random, notebook: Notebook) -> bytes:
    return written(notebook).encode(rng.choice(["utf-16", "utf-16-le", "utf-16-be"]))


@text("bytes", "same")
def utf_32(rng: Random, notebook: Notebook) -> bytes:
    return written(notebook).encode(rng.choice(["utf-32", "utf-32-le", "utf-32-be"]))


@text("bytes", "any")
def latin_1(rng: Random, notebook: Notebook) -> bytes:
    return data(notebook).replace(b'"source": "', '"source": "# é ü ß\\n'.encode("latin-1"))


@text("bytes", "same")
def line_ends(rng: Random, notebook: Notebook) -> bytes:
    return data(notebook).replace(b"\n", rng.choice([b"\r\n", b"\r"]))


@text("bytes", "unreadable")
def noise(rng: Random, notebook: Notebook) -> bytes:
    return b"\x80" + rng.randbytes(rng.choice([1, 100, 100_000]))


@text("bytes", "any")
def flipped_bits(rng: Random, notebook: Notebook) -> bytes:
    whole = bytearray(data(notebook))
    for _ in range(rng.choice([1, 4, 40])):
        whole[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
    return bytes(whole)


@text("bytes", "any")
def block_of_nul(rng: Random, notebook: Notebook) -> bytes:
    # As a computer leaves a file if it loses power while writing.
    whole = data(notebook)
    start = rng.randrange(len(whole))
    return whole[:start] + bytes(min(4096, len(whole) - start)) + whole[start + 4096 :]


@text("bytes", "unreadable")
def behind_the_end(rng: Random, notebook: Notebook) -> bytes:
    return data(notebook) + rng.choice([b"}", b"\x00", b"x", data(notebook)])


@text("bytes", "unreadable")
def compressed(rng: Random, notebook: Notebook) -> bytes:
    return gzip.compress(data(notebook), mtime=0)


@text("bytes", "unreadable")
def merge_conflict(rng: Random, notebook: Notebook) -> bytes:
    lines = written(notebook).splitlines()
    place = rng.randrange(1, len(lines))
    marks = ["<<<<<<< HEAD", lines[place], "=======", lines[place], ">>>>>>> theirs"]
    return "\n".join([*lines[:place], *marks, *lines[place + 1 :]]).encode()


@text("bytes", "unreadable")
def another_file(rng: Random, notebook: Notebook) -> bytes:
    return rng.choice(
        [
            b"<!doctype html><title>lab</title>",
            b"%PDF-1.7\n",
            b"PK\x03\x04" + bytes(30),
            b"def row_means(x):\n    return x.mean(1)\n",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        ]
    )


@text("bytes", "unreadable")
def too_long(rng: Random, notebook: Notebook) -> bytes:
    return data(notebook) + b" " * (17 << 20)
