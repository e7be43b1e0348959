"""BERT's encoder with a classifier on top, small enough to train on a laptop in minutes.

Layer by layer the network of "BERT: Pre-training of Deep Bidirectional Transformers" (Devlin et
al., 2018), with the parameter names of Hugging Face's BertForSequenceClassification: so the weights
of a real checkpoint fit, and `checkpoint.py` loads them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    """Sizes, with the names that a checkpoint's config.json has."""

    vocab_size: int
    num_labels: int
    hidden_size: int = 128
    num_hidden_layers: int = 2
    num_attention_heads: int = 2
    intermediate_size: int = 512
    max_position_embeddings: int = 64
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.2

    @staticmethod
    def of(config: Mapping[str, Any]) -> Shape:
        """From a checkpoint's config.json. ValueError when it is of another kind of network."""
        if config.get("model_type", "bert") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise ValueError(f"a {config.get('model_type')} network is not BERT: it does not fit")
        labels = len(config.get("id2label") or {}) or int(config.get("num_labels", 2))
        names = [name for name in Shape.__dataclass_fields__ if name != "num_labels"]
        return Shape(num_labels=labels, **{name: config[name] for name in names if name in config})


class Embeddings(nn.Module):
    """Word, position and segment, added."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.position_embeddings = nn.Embedding(shape.max_position_embeddings, shape.hidden_size)
        self.token_type_embeddings = nn.Embedding(shape.type_vocab_size, shape.hidden_size)
        self.LayerNorm = nn.LayerNorm(shape.hidden_size, eps=shape.layer_norm_eps)
        self.dropout = nn.Dropout(shape.hidden_dropout_prob)

    def forward(self, input_ids: Tensor) -> Tensor:
        """One text is one segment: all of it is the first."""
        words = self.word_embeddings(input_ids)
        places = self.position_embeddings.weight[: input_ids.shape[1]]
        return self.dropout(self.LayerNorm(words + places + self.token_type_embeddings.weight[0]))


class SelfAttention(nn.Module):
    """Every token looks at every token that is no padding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.num_attention_heads
        self.query = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.key = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.value = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.dropout = nn.Dropout(shape.hidden_dropout_prob)

    def forward(self, hidden: Tensor, penalty: Tensor) -> Tensor:
        """`penalty` is 0 for a token and very negative for padding."""
        query, key = self._split(self.query(hidden)), self._split(self.key(hidden))
        value = self._split(self.value(hidden))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]) + penalty
        mixed = self.dropout(scores.softmax(-1)) @ value
        return mixed.transpose(1, 2).flatten(2)

    def _split(self, hidden: Tensor) -> Tensor:
        return hidden.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Added(nn.Module):
    """A projection, added to what came in, and normalized: BERT's …Output."""

    def __init__(self, size: int, shape: Shape) -> None:
        super().__init__()
        self.dense = nn.Linear(size, shape.hidden_size)
        self.LayerNorm = nn.LayerNorm(shape.hidden_size, eps=shape.layer_norm_eps)
        self.dropout = nn.Dropout(shape.hidden_dropout_prob)

    def forward(self, hidden: Tensor, residual: Tensor) -> Tensor:
        """Of a block's inner result and the block's input."""
        return self.LayerNorm(self.dropout(self.dense(hidden)) + residual)


class Attention(nn.Module):
    """Attention and what follows it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self = SelfAttention(shape)
        self.output = Added(shape.hidden_size, shape)

    def forward(self, hidden: Tensor, penalty: Tensor) -> Tensor:
        """As its parts."""
        return self.output(self.self(hidden, penalty), hidden)


class Intermediate(nn.Module):
    """The wide half of the feed-forward part."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dense = nn.Linear(shape.hidden_size, shape.intermediate_size)

    def forward(self, hidden: Tensor) -> Tensor:
        """GELU by the error function, as in the paper."""
        return nn.functional.gelu(self.dense(hidden))


class Layer(nn.Module):
    """One of the encoder's."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention = Attention(shape)
        self.intermediate = Intermediate(shape)
        self.output = Added(shape.intermediate_size, shape)

    def forward(self, hidden: Tensor, penalty: Tensor) -> Tensor:
        """As its parts."""
        attended = self.attention(hidden, penalty)
        return self.output(self.intermediate(attended), attended)


class Layers(nn.Module):
    """All of them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(shape) for _ in range(shape.num_hidden_layers))

    def forward(self, hidden: Tensor, penalty: Tensor) -> Tensor:
        """One after the other."""
        for layer in self.layer:
            hidden = layer(hidden, penalty)
        return hidden


class Pooler(nn.Module):
    """What the first token has become stands for the whole text."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dense = nn.Linear(shape.hidden_size, shape.hidden_size)

    def forward(self, hidden: Tensor) -> Tensor:
        """Of the first token only."""
        return torch.tanh(self.dense(hidden[:, 0]))


class Bert(nn.Module):
    """Embeddings, layers and pooler."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embeddings = Embeddings(shape)
        self.encoder = Layers(shape)
        self.pooler = Pooler(shape)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """One vector a text."""
        # Half precision's smallest number, so that weights in half precision may be served too.
        penalty = (1.0 - attention_mask[:, None, None, :].float()) * -65504.0
        return self.pooler(self.encoder(self.embeddings(input_ids), penalty))


class Classifier(nn.Module):
    """The whole network: token ids and mask in, one logit a topic out."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.bert = Bert(shape)
        self.dropout = nn.Dropout(shape.hidden_dropout_prob)
        self.classifier = nn.Linear(shape.hidden_size, shape.num_labels)
        self.apply(_initialize)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Of int64 tensors of shape (batch, length); the mask has 1 for a token, 0 for padding."""
        return self.classifier(self.dropout(self.bert(input_ids, attention_mask)))


def _initialize(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
