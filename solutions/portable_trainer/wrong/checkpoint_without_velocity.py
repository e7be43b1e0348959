"""Saves weights and takes the optimizer for stateless.

fails: checkpoint.written
"""


### BEGIN SOLUTION portable_trainer.checkpoint parts
def parts_of(going):
    """The run's tensors, as numpy arrays by name, and its state, a dict for JSON."""
    arrays = {
        f"model.{name}": value.numpy().copy() for name, value in going.model.state_dict().items()
    }
    for name, parameter in going.model.named_parameters():
        velocity = torch.zeros_like(parameter)
        arrays[f"velocity.{name}"] = velocity.detach().numpy().copy()
    arrays["rng.noise"] = going.noise.get_state().numpy()
    arrays["rng.shuffle"] = going.shuffle.get_state().numpy()
    arrays["order"] = going.order.numpy()
    return arrays, {"steps": going.steps, "position": going.position}


### END SOLUTION
