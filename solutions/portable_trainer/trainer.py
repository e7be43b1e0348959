"""Trains through whatever happens: takes up backends, saves checkpoints, follows the policy.

`train` is called when the run begins, and again, in a new process, whenever the one before was
killed: the folder is what is left of it then. In the end the backend in use has the state after
step `cluster.steps - 1`, every sample was used once an epoch, and `report.jsonl` in the folder
has a line for each fault:

    {"step": …, "backend": …, "because": …, "do": …, "to": …}

with the step at which it happened, the backend that had it, and the policy's decision: `to` is its
`backend`, also where that one stays in use.
"""

import json
from pathlib import Path

import checkpoint
import policy

KEPT = 2


### BEGIN SOLUTION portable_trainer.survive train
### STUB def train(cluster, folder):
### STUB     """Train all steps; give True, or False if the policy said stop."""
### STUB     raise NotImplementedError("portable_trainer.survive")
def train(cluster, folder):
    """Train all steps; give True, or False if the policy said stop."""
    return Training(cluster, Path(folder)).finished()


class Training:
    """A run in one process. step: the next one; memory: the policy's."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.step, self.memory = 0, None
        self.backend = cluster.backends[0]["name"]

    def finished(self):
        """Whether the run came to its end."""
        going_on = self.begun(self.restored(of_backend=True))
        while going_on and self.step < self.cluster.steps:
            event = self.cluster.step(self.step)
            if event["kind"] == "step":
                self.step += 1
            going_on = self.followed(event)
            if going_on and self.is_due(event):
                self.save()
        return going_on

    def is_due(self, event):
        """Whether a checkpoint should be written after this event, and may be."""
        done = event["kind"] == "step" and self.step == event["step"] + 1
        return done and self.step % self.cluster.every == 0

    def begun(self, arrays):
        """Take the backend up with a state; whether there is one that can be."""
        event = self.cluster.take_up(self.backend, arrays)
        return event is None or self.followed(event | {"step": self.step}, arrays)

    def followed(self, event, arrays=None):
        """Do what the policy says; False for stop. arrays: the state, if no backend has it."""
        self.memory, decision = policy.decide(self.cluster.backends, self.memory, event)
        if decision["because"] is not None:
            self.report(event, decision)
        if decision["do"] in {"go_on", "stop"}:
            return decision["do"] == "go_on"
        if decision["from"] == "checkpoint":
            arrays = self.restored()
        elif event["kind"] == "step":
            arrays = self.cluster.state()
        self.backend = decision["backend"]
        return self.begun(arrays)

    def report(self, event, decision):
        """A line for the people who will ask."""
        line = {"step": event["step"], "backend": event["backend"], "because": decision["because"]}
        line |= {"do": decision["do"], "to": decision["backend"]}
        with (self.folder / "report.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def restored(self, *, of_backend=False):
        """Arrays of the newest whole checkpoint, None if there is none; the step goes back to it.

        of_backend: also take from it which backend was in use, and what the policy remembered.
        """
        paths = sorted(self.folder.glob("*.safetensors"))
        place = checkpoint.newest(*paths)
        if place is None:
            self.step = 0
            return None
        arrays, state = checkpoint.read(paths[place])
        self.step = state["steps"]
        if of_backend:
            self.memory, self.backend = state["memory"], state["backend"]
        return arrays

    def save(self):
        """Write a checkpoint, and keep the one before it: it is what is left if this one is bad."""
        state = {"steps": self.step, "memory": self.memory, "backend": self.backend}
        path = self.folder / f"step-{self.step:08d}.safetensors"
        checkpoint.write(self.cluster.state(), state, path)
        for old in sorted(self.folder.glob("step-*.safetensors"))[:-KEPT]:
            old.unlink()


### END SOLUTION
