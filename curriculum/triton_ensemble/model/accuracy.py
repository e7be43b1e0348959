"""How often the network is right about sentences that no training has seen.

    python curriculum/triton_ensemble/model/accuracy.py [--version 2]

Beside it stands what two simpler ways reach: always the most frequent topic, and counting words
(naive Bayes), so that the figure can be judged.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter

import checkpoint
import numpy as np
import texts
import torch
import wordpiece
from texts import TOPICS, Text


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", type=int, default=1, choices=(1, 2))
    version = parser.parse_args().version
    everything = texts.read()
    known = [text for text in everything if not text.held_out]
    held_out = [text for text in everything if text.held_out]
    found = checkpoint.load(version=version)
    ids, mask = map(
        torch.from_numpy, wordpiece.encode(found.tokenizer, [t.sentence for t in held_out])
    )
    with torch.no_grad():
        probabilities = found.network(ids, mask).softmax(-1).numpy()
    answers = probabilities.argmax(-1)
    wanted = np.array([text.topic for text in held_out])
    right = answers == wanted
    print(f"version {version}, {len(held_out)} held-out sentences")
    print(f"accuracy            {right.mean():.1%}")
    print(f"mean confidence     {probabilities.max(-1).mean():.1%}")
    print(f"most frequent topic {np.bincount(wanted).max() / len(wanted):.1%}")
    print(f"counting words      {_naive_bayes(known, held_out):.1%}")
    for index, topic in enumerate(TOPICS):
        of_topic = wanted == index
        print(f"    {topic:12} {right[of_topic].mean():.1%} of {of_topic.sum()}")


def _naive_bayes(known: list[Text], held_out: list[Text]) -> float:
    counts = [Counter[str]() for _ in TOPICS]
    for text in known:
        counts[text.topic].update(_words(text))
    words = len(set().union(*counts))
    totals = [sum(count.values()) + words for count in counts]
    prior = Counter(text.topic for text in known)
    right = 0
    for text in held_out:
        scores = [
            math.log(prior[index])
            + sum(math.log((counts[index][word] + 1) / totals[index]) for word in _words(text))
            for index in range(len(TOPICS))
        ]
        right += int(np.argmax(scores)) == text.topic
    return right / len(held_out)


def _words(text: Text) -> list[str]:
    return "".join(c.lower() if c.isalnum() else " " for c in text.sentence).split()


if __name__ == "__main__":
    main()
