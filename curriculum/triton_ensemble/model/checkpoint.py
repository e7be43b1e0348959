"""The weights: ours, or those of a Hugging Face checkpoint in a folder that is given.

A checkpoint is a folder with config.json, the weights (model.safetensors, or pytorch_model.bin) and
a tokenizer (tokenizer.json, or vocab.txt). Any BertForSequenceClassification fits; other networks
are refused by name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import wordpiece
from encoder import Classifier, Shape
from safetensors.torch import load_file
from safetensors.torch import save as serialized
from tokenizers import BertWordPieceTokenizer, Tokenizer
from torch import Tensor

HERE = Path(__file__).parent
WEIGHTS = "model.safetensors"
SECOND = "second."
"""Before the names of what version 2 has instead: it shares the encoder, and has another head."""


@dataclass(frozen=True)
class Checkpoint:
    """What is served. labels: by index of the logit."""

    network: Classifier
    tokenizer: Tokenizer
    labels: tuple[str, ...]


def load(folder: Path | None = None, version: int = 1) -> Checkpoint:
    """From a folder, or ours. ValueError when it holds another network."""
    folder = folder or HERE
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    shape = Shape.of(config)
    network = Classifier(shape)
    network.load_state_dict(_fitting(_weights(folder), network, version))
    names = config.get("id2label") or {}
    labels = tuple(names[str(index)] for index in range(len(names)))
    length = min(wordpiece.LENGTH, shape.max_position_embeddings)
    return Checkpoint(network.eval(), wordpiece.ready(_tokenizer(folder, config), length), labels)


def save(network: Classifier, second: dict[str, Tensor], labels: tuple[str, ...]) -> None:
    """Ours, in half precision, which costs no accuracy that the test texts can show."""
    weights = {**network.state_dict(), **{SECOND + name: w for name, w in second.items()}}
    halves = {name: weight.half().contiguous() for name, weight in weights.items()}
    # Written through a file of ours, because save_file lets nobody else read its own.
    (HERE / WEIGHTS).write_bytes(serialized(halves))
    config = {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "hidden_act": "gelu",
        **network.shape.__dict__,
        "id2label": {str(index): label for index, label in enumerate(labels)},
    }
    (HERE / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _weights(folder: Path) -> dict[str, Tensor]:
    if (folder / WEIGHTS).is_file():
        found = load_file(folder / WEIGHTS)
    else:
        # weights_only: a checkpoint is a pickle, and a pickle may hold any code.
        found = torch.load(folder / "pytorch_model.bin", map_location="cpu", weights_only=True)
    return {name: tensor.float() for name, tensor in found.items()}


def _fitting(weights: dict[str, Tensor], network: Classifier, version: int) -> dict[str, Tensor]:
    second = {n.removeprefix(SECOND): w for n, w in weights.items() if n.startswith(SECOND)}
    if version == 2 and not second:
        raise ValueError("this checkpoint has no second version")
    chosen = {**weights, **(second if version == 2 else {})}
    wanted = network.state_dict()
    missing = sorted(wanted.keys() - chosen.keys())
    if missing:
        raise ValueError(f"no BertForSequenceClassification: {missing[0]} is missing")
    # Some checkpoints carry more than weights, such as position_ids.
    return {name: chosen[name] for name in wanted}


def _tokenizer(folder: Path, config: dict[str, Any]) -> Tokenizer:
    if (folder / "tokenizer.json").is_file():
        return wordpiece.load(folder / "tokenizer.json")
    lowercase = bool(config.get("do_lower_case", True))
    made = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=lowercase)
    return Tokenizer.from_str(made.to_str())
