"""Messages that get another answer in a batch: an exit that asks all of a batch."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import encoder, leaves_early, messages


@torch.inference_mode()
def main() -> None:
    """Single messages, then the same in batches of eight."""
    model, kind = encoder.load(0), torch.tensor(0)
    rows = messages(64, 20)
    alone = torch.cat([model(row[None], kind) for row in rows])
    together = torch.cat([model(part, kind) for part in rows.split(8)])
    early = [leaves_early(model, row[None], 0) for row in rows]
    changed = (alone - together).abs().amax(1) > 1e-3
    best = alone.argmax(1) != together.argmax(1)
    print(f"one by one, {sum(early)} of 64 exit after one layer")
    print(
        f"in batches of 8, {int(changed.sum())} get other scores, {int(best.sum())} another queue"
    )
    assert changed.sum() > 20
    assert all(was for was, is_other in zip(early, changed.tolist(), strict=True) if is_other)
    padded = torch.cat([rows[:1], torch.zeros(1, 20, dtype=torch.int64)], 1)
    difference = float((model(padded, kind) - alone[:1]).abs().max())
    print(f"one message padded from 20 to 40 tokens: scores change by up to {difference:.2f}")
    assert difference > 1e-3


if __name__ == "__main__":
    main()
