"""Functional calls of the class, einsum in the towers, one state that both backends share."""

### BEGIN SOLUTION portable_trainer.clip eager
class Eager:
    def __init__(self, config, arrays):
        self.model = made(config, 0)
        names = [name for name, _ in self.model.named_parameters()]
        self.weights = {name: torch.from_numpy(arrays["model." + name].copy()) for name in names}
        self.speed = {name: torch.from_numpy(arrays["velocity." + name].copy()) for name in names}

    def step(self, pixels, tokens):
        def value(weights):
            inputs = {
                "input_ids": torch.from_numpy(tokens),
                "pixel_values": torch.from_numpy(pixels),
                "return_loss": True,
            }
            return torch.func.functional_call(self.model, weights, (), inputs).loss

        leaves = {name: value.requires_grad_() for name, value in self.weights.items()}
        loss = value(leaves)
        gradients = torch.autograd.grad(loss, list(leaves.values()))
        for (name, weight), gradient in zip(leaves.items(), gradients):
            self.speed[name] = run.MOMENTUM * self.speed[name] + gradient
            self.weights[name] = weight.detach() - run.LEARNING_RATE * self.speed[name]
        return float(loss)

    def arrays(self):
        kinds = {"model.": self.weights, "velocity.": self.speed}
        return {k + n: v.detach().numpy() for k, part in kinds.items() for n, v in part.items()}


### END SOLUTION


### BEGIN SOLUTION portable_trainer.clip loss
def loss(config, p, pixels, tokens):
    kernel = p["vision_model.embeddings.patch_embedding.weight"]
    side = config["vision_config"]["patch_size"]
    x = jax.lax.conv_general_dilated(pixels, kernel, (side, side), "VALID")
    x = x.reshape(*x.shape[:2], -1).swapaxes(1, 2)
    token = p["vision_model.embeddings.class_embedding"]
    x = jnp.stack([jnp.vstack([token[None], patches]) for patches in x])
    x += p["vision_model.embeddings.position_embedding.weight"]
    x = norm(x, p, "vision_model.pre_layrnorm")
    x = tower(x, p, "vision_model", config["vision_config"], None)
    seen = norm(x, p, "vision_model.post_layernorm")[:, 0] @ p["visual_projection.weight"].T

    length = tokens.shape[1]
    y = jnp.take(p["text_model.embeddings.token_embedding.weight"], tokens, axis=0)
    y += p["text_model.embeddings.position_embedding.weight"][None, :length]
    y = tower(y, p, "text_model", config["text_config"], jnp.tril(jnp.ones((length, length))))
    y = norm(y, p, "text_model.final_layer_norm")
    end = jnp.argmax(tokens == config["text_config"]["eos_token_id"], 1)
    read = jnp.take_along_axis(y, end[:, None, None], 1)[:, 0] @ p["text_projection.weight"].T

    seen, read = (v / jnp.linalg.norm(v, axis=1, keepdims=True) for v in (seen, read))
    logits = jnp.einsum("td,pd->tp", read, seen) * jnp.exp(p["logit_scale"])
    picked = jnp.diag(logits)
    sums = [jax.scipy.special.logsumexp(logits, axis) - picked for axis in (0, 1)]
    return 0.5 * sum(each.mean() for each in sums)


def tower(x, p, name, config, mask):
    for number in range(config["num_hidden_layers"]):
        at = f"{name}.encoder.layers.{number}."
        normed = norm(x, p, at + "layer_norm1")
        heads = config["num_attention_heads"]
        q, k, v = (
            jnp.reshape(linear(normed, p, f"{at}self_attn.{part}_proj"), (*x.shape[:2], heads, -1))
            for part in "qkv"
        )
        scores = jnp.einsum("nqhd,nkhd->nhqk", q, k) / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = jnp.where(mask, scores, -jnp.inf)
        mixed = jnp.einsum("nhqk,nkhd->nqhd", jax.nn.softmax(scores), v).reshape(x.shape)
        x = x + linear(mixed, p, at + "self_attn.out_proj")
        hidden = linear(norm(x, p, at + "layer_norm2"), p, at + "mlp.fc1")
        x = x + linear(hidden / (1 + jnp.exp(-1.702 * hidden)), p, at + "mlp.fc2")
    return x


def norm(x, p, name):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p[name + ".weight"] + p[name + ".bias"]


def linear(x, p, name):
    return jnp.einsum("...i,oi->...o", x, p[name + ".weight"]) + p[name + ".bias"]


### END SOLUTION


### BEGIN SOLUTION portable_trainer.clip run
class Xla:
    def __init__(self, config, arrays):
        self.state = {name: jnp.asarray(array) for name, array in arrays.items()}
        self.value = jax.jit(jax.value_and_grad(lambda p, *batch: loss(config, p, *batch)))

    def step(self, pixels, tokens):
        weights = {n[6:]: a for n, a in self.state.items() if n.startswith("model.")}
        loss, gradients = self.value(weights, pixels, tokens.astype(np.int32))
        for name, gradient in gradients.items():
            speed = run.MOMENTUM * self.state[f"velocity.{name}"] + gradient
            self.state[f"velocity.{name}"] = speed
            self.state[f"model.{name}"] -= run.LEARNING_RATE * speed
        return loss.item()

    def arrays(self):
        return jax.device_get(self.state)


def train(order, config, source, batches, target):
    import itertools

    state, losses = load_file(source), []
    given = np.load(batches)
    steps = zip(order, given["pixels"], given["tokens"])
    for name, part in itertools.groupby(steps, key=lambda step: step[0]):
        backend = {"eager": Eager, "xla": Xla}[name](config, state)
        losses += [backend.step(pixels, tokens) for _, pixels, tokens in part]
        state = {n: np.array(a) for n, a in backend.arrays().items()}
    save_file({"losses": np.float32(losses), **state}, target)


### END SOLUTION
