"""CLIP, a published vision-language model, trained by its class in PyTorch and by XLA.

The class is `transformers.CLIPModel`; which widths and depths, a configuration says. No weights are
downloaded. A run is arrays by name, as in a checkpoint: `model.NAME` and `velocity.NAME`, with the
names of the class's state_dict(). A step is `run.py`'s: v ← 0.9 v + g, p ← p - 0.05 v.
"""

import functools

import jax
import numpy as np
import run
import torch
from jax import numpy as jnp
from safetensors.numpy import load_file, save_file
from transformers import CLIPConfig, CLIPModel

TINY = {
    "projection_dim": 16,
    "text_config": {
        "vocab_size": 64,
        "hidden_size": 24,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "max_position_embeddings": 12,
        "bos_token_id": 62,
        "eos_token_id": 63,
        "pad_token_id": 0,
    },
    "vision_config": {
        "image_size": 16,
        "patch_size": 8,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    },
}
"""The architecture of CLIP, made small."""

EPSILON = 1e-5
"""What CLIP's layer norms add to the variance."""


def made(config, seed):
    """The class with weights drawn from a seed, without dropout."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return CLIPModel(CLIPConfig(**config)).eval()


### BEGIN SOLUTION portable_trainer.clip eager
### STUB class Eager:
### STUB     """The class in PyTorch: step(pixels, tokens) gives the loss, arrays() the run."""
### STUB
### STUB     def __init__(self, config, arrays):
### STUB         raise NotImplementedError("portable_trainer.clip")
class Eager:
    """The class in PyTorch: step(pixels, tokens) gives the loss, arrays() the run."""

    def __init__(self, config, arrays):
        self.model = made(config, 0)
        self.optimizer = run.optimizer_of(self.model)
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(torch.tensor(arrays[f"model.{name}"]))
                velocity = torch.tensor(arrays[f"velocity.{name}"])
                self.optimizer.state[parameter]["momentum_buffer"] = velocity

    def step(self, pixels, tokens):
        """Forward, backward, update."""
        inputs = {"pixel_values": torch.tensor(pixels), "input_ids": torch.tensor(tokens)}
        loss = self.model(**inputs, return_loss=True).loss
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def arrays(self):
        """Copies of weights and velocities."""
        found = {}
        for name, parameter in self.model.named_parameters():
            velocity = self.optimizer.state[parameter]["momentum_buffer"]
            found[f"model.{name}"] = parameter.numpy(force=True).copy()
            found[f"velocity.{name}"] = velocity.numpy(force=True).copy()
        return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.clip loss
### STUB def loss(config, p, pixels, tokens):
### STUB     """CLIP's loss of a batch as a function of arrays by the class's names, for XLA.
### STUB
### STUB     pixels: float32 [N, 3, S, S]. tokens: int32 [N, T]; eos_token_id ends a caption.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.clip")
def loss(config, p, pixels, tokens):
    """CLIP's loss of a batch as a function of arrays by the class's names, for XLA.

    pixels: float32 [N, 3, S, S]. tokens: int32 [N, T]; eos_token_id ends a caption.
    """
    seen = unit(image(config["vision_config"], p, pixels) @ p["visual_projection.weight"].T)
    read = unit(caption(config["text_config"], p, tokens) @ p["text_projection.weight"].T)
    similar = jnp.exp(p["logit_scale"]) * read @ seen.T
    return (cross_entropy(similar) + cross_entropy(similar.T)) / 2


def caption(config, p, tokens):
    """A vector of each caption, read where it ends."""
    where = "text_model"
    x = p[f"{where}.embeddings.token_embedding.weight"][tokens]
    x = x + p[f"{where}.embeddings.position_embedding.weight"][: tokens.shape[1]]
    x = normalized(p, f"{where}.final_layer_norm", encoded(config, p, where, x, causal=True))
    return x[jnp.arange(len(x)), (tokens == config["eos_token_id"]).argmax(-1)]


def image(config, p, pixels):
    """A vector of each picture, read at the class token."""
    where, kernel = "vision_model", p["vision_model.embeddings.patch_embedding.weight"]
    number, side = len(pixels), config["patch_size"]
    grid = config["image_size"] // side
    parts = pixels.reshape(number, 3, grid, side, grid, side).transpose(0, 2, 4, 1, 3, 5)
    x = parts.reshape(number, grid * grid, -1) @ kernel.reshape(len(kernel), -1).T
    first = jnp.broadcast_to(p[f"{where}.embeddings.class_embedding"], (number, 1, x.shape[-1]))
    x = jnp.concatenate([first, x], 1) + p[f"{where}.embeddings.position_embedding.weight"]
    x = encoded(config, p, where, normalized(p, f"{where}.pre_layrnorm", x), causal=False)
    return normalized(p, f"{where}.post_layernorm", x[:, 0])


def encoded(config, p, where, x, *, causal):
    """All layers: attention and a two-layer network, each behind a norm, added to x."""
    for number in range(config["num_hidden_layers"]):
        layer = f"{where}.encoder.layers.{number}"
        heads = config["num_attention_heads"]
        x = x + attention(
            p, f"{layer}.self_attn", normalized(p, f"{layer}.layer_norm1", x), heads, causal
        )
        hidden = dense(p, f"{layer}.mlp.fc1", normalized(p, f"{layer}.layer_norm2", x))
        # CLIP's quick GELU.
        x = x + dense(p, f"{layer}.mlp.fc2", hidden * jax.nn.sigmoid(1.702 * hidden))
    return x


def attention(p, name, x, heads, causal):
    """Of x [N, T, D], in heads."""
    number, length, width = x.shape

    def split(part):
        of_heads = dense(p, f"{name}.{part}_proj", x).reshape(number, length, heads, -1)
        return of_heads.transpose(0, 2, 1, 3)

    scores = split("q") @ split("k").transpose(0, 1, 3, 2) / (width // heads) ** 0.5
    if causal:
        scores = jnp.where(jnp.triu(jnp.ones((length, length), bool), 1), -1e9, scores)
    mixed = (jax.nn.softmax(scores, -1) @ split("v")).transpose(0, 2, 1, 3)
    return dense(p, f"{name}.out_proj", mixed.reshape(number, length, width))


def normalized(p, name, x):
    """Layer norm."""
    centered = x - x.mean(-1, keepdims=True)
    deviation = jnp.sqrt((centered**2).mean(-1, keepdims=True) + EPSILON)
    return centered / deviation * p[f"{name}.weight"] + p[f"{name}.bias"]


def dense(p, name, x):
    """x Wᵀ + b."""
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def unit(x):
    """Vectors of length 1."""
    return x / jnp.sqrt((x**2).sum(-1, keepdims=True))


def cross_entropy(similar):
    """Mean of -log softmax on the diagonal: row n belongs to column n."""
    return -jnp.diagonal(jax.nn.log_softmax(similar, -1)).mean()


### END SOLUTION


### BEGIN SOLUTION portable_trainer.clip run
### STUB class Xla:
### STUB     """`loss` and its gradients compiled by XLA; the same methods as Eager."""
### STUB
### STUB     def __init__(self, config, arrays):
### STUB         raise NotImplementedError("portable_trainer.clip")
### STUB
### STUB
### STUB def train(order, config, source, batches, target):
### STUB     """Train a step for each name in `order`, "eager" or "xla", and write the run.
### STUB
### STUB     source: safetensors. batches: .npz, pixels [steps, N, 3, S, S], tokens [steps, N, T].
### STUB     target: safetensors of the run afterwards, and `losses`, float32, that of each step.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.clip")
class Xla:
    """`loss` and its gradients compiled by XLA; the same methods as Eager."""

    def __init__(self, config, arrays):
        self.parameters, self.velocity = (
            {
                name.removeprefix(f"{kind}."): jnp.array(array)
                for name, array in arrays.items()
                if name.startswith(f"{kind}.")
            }
            for kind in ("model", "velocity")
        )
        self.compiled = jax.jit(functools.partial(step, config))

    def step(self, pixels, tokens):
        """Forward, backward, update."""
        state = self.parameters, self.velocity
        self.parameters, self.velocity, value = self.compiled(
            *state, jnp.array(pixels), jnp.array(tokens, jnp.int32)
        )
        return float(value)

    def arrays(self):
        """Weights and velocities in numpy."""
        kinds = {"model": self.parameters, "velocity": self.velocity}
        return {
            f"{kind}.{name}": np.array(array)
            for kind, arrays in kinds.items()
            for name, array in arrays.items()
        }


def step(config, parameters, velocity, pixels, tokens):
    """New parameters and velocities, and the loss before."""
    value, gradient = jax.value_and_grad(loss, 1)(config, parameters, pixels, tokens)
    velocity = {name: run.MOMENTUM * v + gradient[name] for name, v in velocity.items()}
    parameters = {name: p - run.LEARNING_RATE * velocity[name] for name, p in parameters.items()}
    return parameters, velocity, value


def train(order, config, source, batches, target):
    """Train a step for each name in `order`, "eager" or "xla", and write the run.

    source: safetensors. batches: .npz, pixels [steps, N, 3, S, S], tokens [steps, N, T].
    target: safetensors of the run afterwards, and `losses`, float32, that of each step.
    """
    kinds = {"eager": Eager, "xla": Xla}
    arrays, losses = load_file(source), []
    name, backend = None, None
    with np.load(batches) as given:
        pixels, tokens = given["pixels"], given["tokens"]
    for number, wanted in enumerate(order):
        if wanted != name:
            arrays = backend.arrays() if backend else arrays
            name, backend = wanted, kinds[wanted](config, arrays)
        losses.append(backend.step(pixels[number], tokens[number]))
    save_file({**backend.arrays(), "losses": np.array(losses, np.float32)}, target)


### END SOLUTION
