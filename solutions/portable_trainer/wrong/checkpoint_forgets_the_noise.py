"""Saves no generator's state but that of a new one.

fails: checkpoint.written
"""


### BEGIN SOLUTION portable_trainer.checkpoint parts
def parts_of(going):
    """The run's tensors, as numpy arrays by name, and its state, a dict for JSON."""
    arrays = {
        f"model.{name}": value.numpy().copy() for name, value in going.model.state_dict().items()
    }
    for name, parameter in going.model.named_parameters():
        momentum = going.optimizer.state[parameter].get("momentum_buffer")
        velocity = torch.zeros_like(parameter) if momentum is None else momentum
        arrays[f"velocity.{name}"] = velocity.detach().numpy().copy()
    arrays["rng.noise"] = torch.Generator().manual_seed(0).get_state().numpy()
    arrays["rng.shuffle"] = going.shuffle.get_state().numpy()
    arrays["order"] = going.order.numpy()
    return arrays, {"steps": going.steps, "position": going.position}


### END SOLUTION
