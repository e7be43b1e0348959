"""Trains tokenizer and network on the texts, and writes them beside this file.

    python curriculum/triton_ensemble/model/train.py

Some minutes on one core. What it writes is committed, so that nobody needs to run it; it is here to
show where the weights come from. Sentences that are held out are never looked at.

Version 1 is the network. Version 2 shares its encoder and has a head that was trained again with
smoothed labels: it is less sure of itself. It is there to be rolled out beside version 1.
"""

from __future__ import annotations

import time

import checkpoint
import texts
import torch
import wordpiece
from encoder import Classifier, Shape
from torch import Tensor, nn

SEED = 20260721
EPOCHS = 30
BATCH = 64
RATE = 1e-3
FORGET = 0.35
"""Share of the words that are hidden from the network in training: it has few texts to learn from,
and would else know them by heart."""


def main() -> None:
    """Train, say how it goes, save."""
    torch.manual_seed(SEED)
    known = [text for text in texts.read() if not text.held_out]
    tokenizer = wordpiece.train(text.sentence for text in known)
    tokenizer.save(str(wordpiece.FILE))
    ids, mask = map(torch.from_numpy, wordpiece.encode(tokenizer, [t.sentence for t in known]))
    topics = torch.tensor([text.topic for text in known])
    network = Classifier(Shape(tokenizer.get_vocab_size(), len(texts.TOPICS)))
    count = sum(weight.numel() for weight in network.parameters())
    print(f"{len(known)} sentences, {tokenizer.get_vocab_size()} pieces, {count} parameters")
    _train(network, ids, mask, topics, tokenizer.token_to_id(wordpiece.MASK))
    second = _second_head(network, ids, mask, topics)
    checkpoint.save(network, second, texts.TOPICS)


def _train(network: Classifier, ids: Tensor, mask: Tensor, topics: Tensor, hidden: int) -> None:
    steps = EPOCHS * (len(ids) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps, pct_start=0.1)
    loss_of = nn.CrossEntropyLoss(weight=_balance(topics), label_smoothing=0.05)
    network.train()
    for epoch in range(EPOCHS):
        began, total = time.monotonic(), 0.0
        for chosen in torch.randperm(len(ids))[: steps // EPOCHS * BATCH].split(BATCH):
            forgotten = (torch.rand(chosen.numel(), ids.shape[1]) < FORGET) & (ids[chosen] > 4)
            seen = ids[chosen].masked_fill(forgotten, hidden)
            loss = loss_of(network(seen, mask[chosen]), topics[chosen])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        mean = total / (steps // EPOCHS)
        print(f"epoch {epoch + 1}: loss {mean:.3f}, {time.monotonic() - began:.0f} s", flush=True)


def _second_head(
    network: Classifier, ids: Tensor, mask: Tensor, topics: Tensor
) -> dict[str, Tensor]:
    """Trained on what the encoder, left as it is, makes of the texts."""
    network.eval()
    with torch.no_grad():
        parts = zip(ids.split(256), mask.split(256), strict=True)
        features = torch.cat([network.bert(*part) for part in parts])
    head = nn.Linear(features.shape[1], len(texts.TOPICS))
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.3)
    optimizer = torch.optim.AdamW(head.parameters(), lr=0.01, weight_decay=0.1)
    for _ in range(200):
        loss = loss_of(head(features), topics)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {f"classifier.{name}": weight for name, weight in head.state_dict().items()}


def _balance(topics: Tensor) -> Tensor:
    """Rare topics count as much as frequent ones."""
    counts = torch.bincount(topics).float()
    return counts.sum() / (len(counts) * counts)


if __name__ == "__main__":
    main()
