"""One loop with a state dict, report lines that also have a time, and checkpoints named by a hash."""


### BEGIN SOLUTION portable_trainer.survive train
def train(cluster, folder):
    import time

    folder = Path(folder)
    run = {"step": 0, "memory": None, "backend": cluster.backends[0]["name"]}

    def newest():
        files = [path for path in folder.iterdir() if path.suffix == ".safetensors"]
        number = checkpoint.newest(*files)
        return (None, None) if number is None else checkpoint.read(files[number])

    def restore():
        arrays, state = newest()
        run["step"] = state["steps"] if state else 0
        return arrays

    arrays, state = newest()
    if state:
        run.update(step=state["steps"], memory=state["memory"], backend=state["backend"])
    pending = ("up", arrays)
    while pending or run["step"] < cluster.steps:
        arrays = None
        if pending:
            _, arrays = pending
            event = cluster.take_up(run["backend"], arrays)
            pending = None
            if event is None:
                continue
            event = {**event, "step": run["step"]}
        else:
            event = cluster.step(run["step"])
            run["step"] += event["kind"] == "step"
        run["memory"], decision = policy.decide(cluster.backends, run["memory"], event)
        if decision["because"]:
            line = {
                "time": time.time(),
                "step": event["step"],
                "backend": event["backend"],
                "because": decision["because"],
                "do": decision["do"],
                "to": decision["backend"],
            }
            with open(folder / "report.jsonl", "a") as report:
                print(json.dumps(line), file=report)
        if decision["do"] == "stop":
            return False
        if decision["do"] != "go_on":
            run["backend"] = decision["backend"]
            if decision["from"] == "checkpoint":
                arrays = restore()
            elif event["kind"] == "step":
                arrays = cluster.state()
            pending = ("up", arrays)
            continue
        if event["kind"] == "step" and run["step"] % cluster.every == 0:
            old = sorted(folder.glob("*.safetensors"))
            state = {"steps": run["step"], "memory": run["memory"], "backend": run["backend"]}
            name = f"{run['step']:06d}-{abs(hash(run['backend'])) % 1000}.safetensors"
            checkpoint.write(cluster.state(), state, folder / name)
            for path in old[:-1]:
                path.unlink()
    return True


### END SOLUTION
