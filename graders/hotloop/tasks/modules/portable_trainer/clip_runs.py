"""CLIP, a published vision-language model, trained on both backends and from one to the other."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Plain
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.portable_trainer.given_files import PROGRAMS

TRUTH = Program({"clip_truth.py": PROGRAMS / "clip_truth.py"}, "clip_truth.py")
COMPARED = Program({"clip_reading.py": PROGRAMS / "clip_reading.py"}, "clip_reading.py")
FILE = "run.safetensors"
VOCABULARY, END = 64, 63


def config(rng: Rng) -> dict[str, Plain]:
    """Return a small configuration of CLIP; widths, heads and depths vary."""
    heads, more = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    return {
        "projection_dim": int(rng.integers(12, 20)),
        "text_config": {
            "vocab_size": VOCABULARY,
            "hidden_size": 8 * heads,
            "intermediate_size": int(rng.integers(30, 50)),
            "num_hidden_layers": int(rng.integers(1, 4)),
            "num_attention_heads": heads,
            "max_position_embeddings": 12,
            "bos_token_id": END - 1,
            "eos_token_id": END,
            "pad_token_id": 0,
        },
        "vision_config": {
            "image_size": 16,
            "patch_size": int(rng.choice([4, 8])),
            "hidden_size": 12 * more,
            "intermediate_size": int(rng.integers(30, 70)),
            "num_hidden_layers": int(rng.integers(1, 4)),
            "num_attention_heads": more,
        },
    }


def batches(rng: Rng, steps: int) -> GivenFile:
    """Return pictures and captions of several steps, with noise behind a caption's end."""
    number, length = int(rng.integers(4, 8)), int(rng.integers(7, 13))
    tokens = rng.integers(1, END - 1, (steps, number, length))
    ends = rng.integers(2, length, (steps, number))
    np.put_along_axis(tokens, ends[..., None], END, 2)
    pixels = rng.standard_normal((steps, number, 3, 16, 16)).astype(np.float32)
    stream = io.BytesIO()
    np.savez(stream, pixels=pixels, tokens=tokens)
    return GivenFile("batches.npz", stream.getvalue())


def trained(rng: Rng, session: Session, *, orders: Sequence[Sequence[str]]) -> Iterator[Assignment]:
    """Yield assignments: a run of these backends, step by step, for hidden configurations."""
    for order in orders:
        architecture, given = config(rng), batches(rng, len(order))
        truth, text = TRUTH.trusted(session), json.dumps(architecture)
        source = GivenFile(FILE, truth.take(truth.ask("started", text, int(rng.integers(1 << 30)))))
        right = GivenFile(
            "right.safetensors", truth.take(truth.ask("trained", text, source, given))
        )
        arguments = (list(order), architecture, source, given)
        label = f"{', '.join(order)}"
        yield Assignment(label, arguments, FILE, partial(_mismatch, right, session))


def _mismatch(right: GivenFile, session: Session, data: bytes) -> str | None:
    process = COMPARED.given(session, "compares")
    wrong = process.ask("mismatch", GivenFile(FILE, data), right)
    return None if wrong is None else str(wrong)
