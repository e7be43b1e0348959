"""A model class of Hugging Face's transformers, with a service's own branches in its forward.

Small and untrained: 2 layers of 48 and 61 thousand parameters. BERT-base is the same class with
another configuration.
"""

import torch
from transformers import BertConfig, BertModel, BertPreTrainedModel

BOTH_WAYS, CAUSAL = 0, 1
PADDING, VOCABULARY, LONGEST, QUEUES = 0, 300, 128, 8
POOLED_UP_TO = 32


class Routed(BertPreTrainedModel):
    """Messages to scores of eight queues."""

    def __init__(self, config):
        super().__init__(config)
        self.bert = BertModel(config)
        self.classifier = torch.nn.Linear(config.hidden_size, QUEUES)
        self.post_init()

    def forward(self, tokens, kind):
        """tokens: int64 [n, length], 0 is padding and never comes first. kind: int64 []."""
        real = tokens != PADDING
        allowed = real[:, None, None, :].expand(-1, 1, tokens.shape[1], -1)
        if int(kind) == CAUSAL:
            allowed = allowed & torch.ones_like(allowed).tril()
        seen = self.bert(tokens, attention_mask=allowed)
        if tokens.shape[1] <= POOLED_UP_TO:
            return self.classifier(seen.pooler_output)
        words = seen.last_hidden_state * real[:, :, None]
        return self.classifier(words.sum(1) / real.sum(1, keepdim=True))


def load(seed):
    """In evaluation mode, with weights that are wide enough for every branch to show."""
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=LONGEST,
        initializer_range=0.3,
    )
    torch.manual_seed(seed)
    return Routed(config).eval()
