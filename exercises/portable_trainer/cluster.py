"""Clusters, models and published plans to try a planner on. `costs.md` says what the entries mean.

Bandwidths and peaks are quoted; what is supposed says so. Measure your own.
"""

SUSTAINED = 0.6
"""Of its peak, what a device is supposed to keep up in large matrix products."""

PEAK = {"a100": 312e12, "h100": 989e12, "v5e": 197e12, "v5p": 459e12}
"""bfloat16 operations a second: NVIDIA's data sheets; https://jax-ml.github.io/scaling-book/tpus/"""

GPU_LINKS = {"tensor": 1, "data": 1, "pipeline": 1}

TPU_LINKS = {"tensor": 1, "data": 2, "pipeline": 1}
"""A tensor group gets one axis of the torus, a data group two, as is supposed for FSDP mixed with
tensor parallelism in https://jax-ml.github.io/scaling-book/training/."""


def network(bandwidth, latency):
    """bandwidth: bytes a second from each device. latency: seconds, supposed."""
    return {"bandwidth": bandwidth, "latency": latency}


def a100(devices):
    """DGX A100: 80 GB, NVLink 300 GB/s each way, an InfiniBand port of 200 Gb/s for each GPU.

    https://arxiv.org/abs/2104.04473, section 5.
    """
    return {
        "devices": devices,
        "node": 8,
        "memory_bytes": 80e9,
        "flops": SUSTAINED * PEAK["a100"],
        "fast": network(300e9, 5e-6),
        "slow": network(25e9, 2e-5),
        "links": GPU_LINKS,
    }


def h100(devices):
    """Eight H100 of 80 GB in a server, NVLink 450 GB/s each way, 400 Gb/s between servers.

    https://arxiv.org/abs/2407.21783, section 3.3.1.
    """
    return {
        "devices": devices,
        "node": 8,
        "memory_bytes": 80e9,
        "flops": SUSTAINED * PEAK["h100"],
        "fast": network(450e9, 5e-6),
        "slow": network(50e9, 2e-5),
        "links": GPU_LINKS,
    }


def v5e(devices):
    """A TPU v5e pod, 16 by 16 chips of 16 GB: 100 GB/s along an axis, both ways together.

    https://jax-ml.github.io/scaling-book/tpus/; between pods 25 GB/s for a host of eight.
    """
    return {
        "devices": devices,
        "node": 256,
        "memory_bytes": 15e9,
        "flops": SUSTAINED * PEAK["v5e"],
        "fast": network(100e9, 1e-6),
        "slow": network(25e9 / 8, 5e-5),
        "links": TPU_LINKS,
    }


def v5p(devices):
    """A TPU v5p pod, up to 16 by 20 by 28 chips of 95 GB: 200 GB/s along an axis.

    https://jax-ml.github.io/scaling-book/tpus/; between pods 25 GB/s for a host of four.
    """
    return {
        "devices": devices,
        "node": 8960,
        "memory_bytes": 90e9,
        "flops": SUSTAINED * PEAK["v5p"],
        "fast": network(200e9, 1e-6),
        "slow": network(25e9 / 4, 5e-5),
        "links": TPU_LINKS,
    }


def gpt(layers, hidden, heads, tokens=2048, vocabulary=51200):
    """A GPT as Megatron-LM's table has it: 12 h² parameters a layer, one vocabulary matrix."""
    tower = {"layers": layers, "hidden": hidden, "heads": heads, "kv_heads": heads}
    tower |= {"feedforward": 4 * hidden, "gated": False, "tokens": tokens}
    return {"towers": [tower], "vocabulary": vocabulary, "tied": True}


def llama(layers, hidden, heads, feedforward, tokens=8192, vocabulary=128256):
    """A Llama 3, with 8 heads for keys and values: https://arxiv.org/abs/2407.21783, table 3."""
    tower = {"layers": layers, "hidden": hidden, "heads": heads, "kv_heads": 8}
    tower |= {"feedforward": feedforward, "gated": True, "tokens": tokens}
    return {"towers": [tower], "vocabulary": vocabulary, "tied": False}


def vision_language(vision_layers, vision_hidden, text_layers, text_hidden, tokens=2048):
    """A vision transformer of 1024 patches in front of a text decoder, heads of 128."""
    towers = []
    for layers, hidden, length in (
        (vision_layers, vision_hidden, 1024),
        (text_layers, text_hidden, tokens),
    ):
        tower = {"layers": layers, "hidden": hidden, "heads": hidden // 128}
        tower |= {"kv_heads": hidden // 128, "feedforward": 4 * hidden}
        towers.append({**tower, "gated": False, "tokens": length})
    return {"towers": towers, "vocabulary": 32000, "tied": False}


# Layers, hidden, heads, tensor, pipeline, GPUs, batch: table 1 of https://arxiv.org/abs/2104.04473.
# Sequences a micro-batch: examples/sc21/run_table_1.sh in https://github.com/NVIDIA/Megatron-LM.
# All of them computed every layer again. Their interleaved schedule is not in our rules.
_MEGATRON = {
    "1.7B": (24, 2304, 24, 1, 1, 32, 512, 16),
    "3.6B": (30, 3072, 32, 2, 1, 64, 512, 16),
    "7.5B": (36, 4096, 32, 4, 1, 128, 512, 16),
    "18.4B": (40, 6144, 48, 8, 1, 256, 1024, 8),
    "39.1B": (48, 8192, 64, 8, 2, 512, 1536, 4),
    "76.1B": (60, 10240, 80, 8, 4, 1024, 1792, 2),
    "145.6B": (80, 12288, 96, 8, 8, 1536, 2304, 2),
    "310.1B": (96, 16384, 128, 8, 16, 1920, 2160, 1),
    "529.6B": (105, 20480, 128, 8, 35, 2520, 2520, 1),
    "1008.0B": (128, 25600, 160, 8, 64, 3072, 3072, 1),
}

# Llama 3 405B: table 4 of https://arxiv.org/abs/2407.21783 has tensor 8, pipeline 16, data 64 and
# 128, 2048 sequences a step. Section 3.3.2: the first and the last stage have a layer less, and
# gradients and optimizer are sharded. Nothing was computed again there; "selective" is next to that
# in our rules, and one sequence a micro-batch is ours.
_LLAMA = {"Llama 3 405B, 8192 GPUs": 64, "Llama 3 405B, 16384 GPUs": 128}

PUBLISHED = [*_MEGATRON, *_LLAMA]


def published(name):
    """A published model, cluster, batch and plan; `device` is the key of its peak."""
    if name in _LLAMA:
        data = _LLAMA[name]
        plan = {"tensor": 8, "pipeline": 16, "data": data, "micro_batch": 1, "zero": 2}
        plan |= {"stages": [7, *[8] * 14, 7], "recompute": ["selective"] * 16}
        model = llama(126, 16384, 128, 53248)
        return _case(model, h100(128 * data), 2048, plan, "h100")
    layers, hidden, heads, tensor, pipeline, gpus, batch, micro_batch = _MEGATRON[name]
    plan = {"tensor": tensor, "pipeline": pipeline, "data": gpus // (tensor * pipeline)}
    plan |= {"micro_batch": micro_batch, "zero": 0, "stages": [layers // pipeline] * pipeline}
    plan["recompute"] = ["full"] * pipeline
    return _case(gpt(layers, hidden, heads), a100(gpus), batch, plan, "a100")


def _case(model, cluster, batch, plan, device):
    return {"model": model, "cluster": cluster, "batch": batch, "plan": plan, "device": device}


def weights(tower):
    """Parameters of one of its layers."""
    h, f = tower["hidden"], tower["feedforward"]
    attention = 2 * h * h * (1 + tower["kv_heads"] / tower["heads"])
    return attention + (3 if tower["gated"] else 2) * h * f


def parameters(model):
    """Of all layers and of the vocabulary."""
    matrices = 1 if model["tied"] else 2
    embedding = matrices * model["vocabulary"] * model["towers"][-1]["hidden"]
    return embedding + sum(tower["layers"] * weights(tower) for tower in model["towers"])


def model_flops(model):
    """What training takes for one sequence when nothing is computed again."""
    flops = 0.0
    for tower in model["towers"]:
        s, h = tower["tokens"], tower["hidden"]
        flops += 3 * tower["layers"] * (2 * s * weights(tower) + 4 * s * s * h)
    last = model["towers"][-1]
    return flops + 6 * last["tokens"] * last["hidden"] * model["vocabulary"]
