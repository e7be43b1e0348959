"""Goes on with the first samples of the epoch, whatever was seen of it.

fails: checkpoint.resumed
"""


### BEGIN SOLUTION portable_trainer.checkpoint resume
def resume(path):
    """The run that a checkpoint is of."""
    found = read(path)
    if found is None:
        raise ValueError(f"{path} is no whole checkpoint")
    arrays, state = found
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
    going = run.Run(0)
    going.model.load_state_dict({n: tensors[f"model.{n}"] for n in going.model.state_dict()})
    if state["steps"]:
        for name, parameter in going.model.named_parameters():
            going.optimizer.state[parameter]["momentum_buffer"] = tensors[f"velocity.{name}"]
    going.noise.set_state(tensors["rng.noise"])
    going.shuffle.set_state(tensors["rng.shuffle"])
    going.order = tensors["order"]
    going.steps, going.position = state["steps"], 0
    return going


### END SOLUTION
