"""Paddle's passes on the MobileNetV1 that it publishes: what each does, and where it stops.

The weights are random: operations, bytes and zeros are counted. A time is the shortest of 31.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import mobilenet
import numpy as np
import paddle
from paddle import inference
from paddle.incubate import asp

FILES = Path(tempfile.mkdtemp())
WEIGHTS, PICTURES, INT8 = (FILES / f"{name}.npz" for name in ("weights", "pictures", "int8"))
DEPTHWISE, FUSION = "depthwise_conv_onednn_pass", "conv2d_bn_fuse_pass"
CALLS = 31


def counted(*passes: str) -> str:
    """Convolutions and batch norms behind the passes, by name."""
    with tempfile.TemporaryDirectory() as folder:
        mobilenet.capture(mobilenet.network(WEIGHTS), folder)
        with mobilenet.loaded(folder) as program:
            manager = paddle.pir.PassManager()
            for name in passes:
                manager.add_pass(name, {})
            manager.run(program)
            counts = Counter(op.name() for op in program.global_block().ops)
    names = ("depthwise_conv2d", "conv2d", "batch_norm_")
    return ", ".join(f"{counts['pd_op.' + name]} {name}" for name in names)


def zeros(decorated: bool) -> str:
    """Zeros of the last 1×1 convolution behind ASP's masks, and after one step of Adam."""
    with mobilenet.old_ir():
        model = mobilenet.network(WEIGHTS)
        optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
        if decorated:
            optimizer = asp.decorate(optimizer)
        asp.prune_model(model, with_mask=decorated)
        weight = model.conv6._pointwise_conv[0].weight
        masked = int((weight == 0).sum())
        model.train()
        model(paddle.randn([16, 3, 16, 16])).square().mean().backward()
        optimizer.step()
        left = int((weight == 0).sum()) / masked
    return f"{masked:,} of {weight.size:,} weights are 0; after a step {left:.0%} of these"


def size(path: Path) -> int:
    """Bytes of all arrays of a file."""
    with np.load(path) as arrays:
        return sum(arrays[name].nbytes for name in arrays.files)


def milliseconds(folder: str, passes: Sequence[str]) -> float:
    """Shortest time of a batch in Paddle Inference on one thread, behind these passes alone."""
    config = inference.Config(f"{folder}/network.json", f"{folder}/network.pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(1)
    config.enable_mkldnn()
    config.enable_custom_passes(list(passes), True)
    predictor = inference.create_predictor(config)
    images = predictor.get_input_handle(predictor.get_input_names()[0])
    images.copy_from_cpu(np.zeros((16, 3, 16, 16), np.float32))
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        predictor.run()
        taken.append(time.perf_counter() - began)
    return 1e3 * min(taken)


def main() -> None:
    """Print what is left, and what it costs."""
    print("captured:                      ", counted())
    print("batch norms fused:             ", counted(FUSION))
    print("fused, then depthwise changed: ", counted(FUSION, DEPTHWISE))
    print("depthwise changed, then fused: ", counted(DEPTHWISE, FUSION))
    print("2:4, an optimizer as it was:   ", zeros(decorated=False))
    print("2:4, a decorated optimizer:    ", zeros(decorated=True))
    mobilenet.quantized(WEIGHTS, PICTURES, INT8)
    with np.load(INT8) as arrays:
        rounded = sum(4 * arrays[n].nbytes for n in arrays.files if arrays[n].dtype == np.int8)
        rounded += sum(arrays[n].nbytes for n in arrays.files if arrays[n].dtype != np.int8)
    print(f"published: {size(WEIGHTS):,} bytes; PTQ rounds: {rounded:,}; int8: {size(INT8):,}")
    right = mobilenet.passes_for_cpu()
    with tempfile.TemporaryDirectory() as folder:
        mobilenet.capture(mobilenet.network(WEIGHTS), folder)
        for name, passes in {
            "no pass": [],
            "placed on oneDNN": ["onednn_placement_pass"],
            "norms fused": right[:2],
            "and biases": right[:4],
            "and activations": right,
            "activations first": [right[-1], *right[:-1]],
            "without depthwise": right[1:],
        }.items():
            print(f"measured: {name}: {milliseconds(folder, passes):.2f} ms a batch of 16")


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # ASP names each layer that it leaves
    paddle.seed(0)
    published = paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=4)
    np.savez(WEIGHTS, **{name: value.numpy() for name, value in published.state_dict().items()})
    drawn = np.random.default_rng(0).normal(0, 1, (64, 3, 16, 16)).astype(np.float32)
    np.savez(PICTURES, images=drawn, labels=np.zeros(64, np.int64))
    main()
