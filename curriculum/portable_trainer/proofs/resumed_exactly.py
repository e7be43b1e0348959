"""What a checkpoint has to hold, found out by leaving out one thing at a time."""

from __future__ import annotations

import torch
from torch import nn

STEPS, SAVED_AT = 20, 9


class Run:
    """A small training: dropout, momentum, shuffled samples, a schedule."""

    def __init__(self) -> None:
        torch.manual_seed(1)
        self.model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, 4)
        self.samples = torch.randn(64, 8)
        self.shuffle = torch.Generator().manual_seed(2)
        self.order, self.position = torch.randperm(64, generator=self.shuffle), 0

    def step(self) -> float:
        """One batch of eight, and its loss."""
        batch = self.samples[self.order[self.position : self.position + 8]]
        self.position += 8
        if self.position == 64:
            self.order, self.position = torch.randperm(64, generator=self.shuffle), 0
        loss = (self.model(batch) - batch.sum(1, keepdim=True)).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        return loss.item()

    def kept(self) -> dict[str, object]:
        """All of it."""
        return {
            "weights": {k: v.clone() for k, v in self.model.state_dict().items()},
            "momentum": self._copied(self.optimizer.state_dict()),
            "schedule": dict(self.schedule.state_dict()),
            "dropout's generator": torch.get_rng_state(),
            "shuffle's generator": self.shuffle.get_state(),
            "order and position": (self.order.clone(), self.position),
        }

    @staticmethod
    def _copied(state: dict) -> dict:
        moments = {
            n: {"momentum_buffer": each["momentum_buffer"].clone()}
            for n, each in state["state"].items()
        }
        groups = [dict(group) for group in state["param_groups"]]
        return {"state": moments, "param_groups": groups}

    def take(self, kept: dict, without: str) -> None:
        """What was kept, but for one thing."""
        use = {key: value for key, value in kept.items() if key != without}
        if "weights" in use:
            self.model.load_state_dict(use["weights"])
        if "momentum" in use:
            self.optimizer.load_state_dict(use["momentum"])
        if "schedule" in use:
            self.schedule.load_state_dict(use["schedule"])
        if "dropout's generator" in use:
            torch.set_rng_state(use["dropout's generator"])
        if "shuffle's generator" in use:
            self.shuffle.set_state(use["shuffle's generator"])
        if "order and position" in use:
            self.order, self.position = use["order and position"]


def losses(without: str) -> list[float]:
    """Of a run that was ended after nine steps and went on in a new one."""
    first = Run()
    found = [first.step() for _ in range(SAVED_AT)]
    kept = first.kept()
    second = Run()
    second.take(kept, without)
    return found + [second.step() for _ in range(STEPS - SAVED_AT)]


def main() -> None:
    """Print where each resumed run leaves the undisturbed one."""
    whole = Run()
    truth = [whole.step() for _ in range(STEPS)]
    assert losses("") == truth
    print("everything kept: all losses are equal, bit by bit")
    for name in whole.kept():
        found = losses(name)
        away = [n for n in range(STEPS) if found[n] != truth[n]]
        assert away, name
        print(f"without {name}: step {away[0]} is the first that differs")
    by_step = {n: [(n * 8 + k) % 64 for k in range(8)] for n in range(4)}
    for world in (1, 2, 4):
        for ids in by_step.values():
            assert sorted(i for rank in range(world) for i in ids[rank::world]) == ids
    print("samples dealt out of each step's list: 1, 2 or 4 ranks see the same batches")


if __name__ == "__main__":
    main()
