"""The tokenizer: WordPiece, as BERT has it, trained on the texts themselves.

All texts become the same length: shorter ones are padded, longer ones cut. So a batch of any
texts is one rectangle, and requests of different lengths can be served together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

LENGTH = 32
VOCABULARY = 2048
PAD, UNKNOWN, FIRST, LAST, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"

FILE = Path(__file__).with_name("tokenizer.json")


def train(sentences: Iterable[str]) -> Tokenizer:
    """A new tokenizer."""
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=VOCABULARY,
        min_frequency=2,
        special_tokens=[PAD, UNKNOWN, FIRST, LAST, MASK],
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    return ready(tokenizer)


def ready(tokenizer: Tokenizer, length: int = LENGTH) -> Tokenizer:
    """With BERT's marks around a text, and one length for all."""
    marks = [(name, tokenizer.token_to_id(name)) for name in (FIRST, LAST)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{FIRST} $A {LAST}", special_tokens=marks
    )
    tokenizer.enable_truncation(length)
    tokenizer.enable_padding(length=length, pad_id=tokenizer.token_to_id(PAD), pad_token=PAD)
    return tokenizer


def load(file: Path = FILE) -> Tokenizer:
    """The trained one."""
    return Tokenizer.from_file(str(file))


def encode(
    tokenizer: Tokenizer, sentences: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids and mask, both (texts, LENGTH)."""
    encoded = tokenizer.encode_batch(list(sentences))
    ids = np.array([text.ids for text in encoded], np.int64)
    mask = np.array([text.attention_mask for text in encoded], np.int64)
    return ids, mask
