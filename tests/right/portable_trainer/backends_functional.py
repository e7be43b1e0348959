"""Backends with functional calls: torch.func gradients, a hand-written update, and one donated XLA call."""


### BEGIN SOLUTION portable_trainer.backends eager
class Eager:
    device = "cpu"

    def __init__(self, arrays):
        self.model = vlm.made(0)
        self.velocity = {}
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(torch.from_numpy(arrays[f"model.{name}"].copy()))
                self.velocity[name] = torch.from_numpy(arrays[f"velocity.{name}"].copy())
        self.loss = self.model

    def step(self, pictures, captions):
        parameters = dict(self.model.named_parameters())
        loss = self.loss(pictures, captions)
        gradients = torch.autograd.grad(loss, list(parameters.values()))
        with torch.no_grad():
            for (name, parameter), gradient in zip(parameters.items(), gradients):
                self.velocity[name].mul_(run.MOMENTUM).add_(gradient)
                parameter.sub_(self.velocity[name], alpha=run.LEARNING_RATE)
        return float(loss)

    def arrays(self):
        model = {f"model.{n}": p.detach().numpy().copy() for n, p in self.model.named_parameters()}
        return model | {f"velocity.{n}": v.numpy().copy() for n, v in self.velocity.items()}


### END SOLUTION


### BEGIN SOLUTION portable_trainer.backends compile
def compiled(model, compiler):
    torch._dynamo.config.automatic_dynamic_shapes = True
    step = torch.compile(lambda *batch: model(*batch), backend=compiler)

    def loss(pictures, captions):
        for tensor in (pictures, captions):
            torch._dynamo.mark_dynamic(tensor, 0)
        return step(pictures, captions)

    return loss


### END SOLUTION


### BEGIN SOLUTION portable_trainer.backends xla
class Xla:
    def __init__(self, arrays):
        import jax
        import jax.numpy as jnp
        import vlm_jax

        self.state = tuple(
            {name: jnp.asarray(arrays[prefix + name]) for name in vlm_jax.SHAPES}
            for prefix in ("model.", "velocity.")
        )
        self.one = jax.jit(vlm_jax.step, donate_argnums=(0, 1))

    def step(self, pictures, captions):
        import numpy as np

        *state, loss = self.one(*self.state, np.asarray(pictures), np.asarray(captions, np.int32))
        self.state = tuple(state)
        return loss.item()

    def arrays(self):
        import jax

        named = zip(("model.", "velocity."), jax.device_get(self.state))
        return {prefix + name: value for prefix, part in named for name, value in part.items()}


### END SOLUTION
