"""Which pictures there are."""

from __future__ import annotations

from catalog import Mark, Picture, Slices, element, node, nodes, slices

GENERATED = """
import shutil
from hotloop.core import paths
shutil.copyfile(paths.exercises() / "profile_training_loop/generated_run.pt.trace.json", target)
"""

OPTIMIZED = """
import export
export.export(18, target + ".as_written")
import onnxruntime
options = onnxruntime.SessionOptions()
options.optimized_model_filepath = target
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
onnxruntime.InferenceSession(target + ".as_written", options, providers=["CPUExecutionProvider"])
"""

EARLY_EXIT = """
import torch, portable
path = target + ".pt2"
portable.export(1, path)
torch.onnx.export(torch.export.load(path), f=target, dynamo=True, external_data=False)
"""

BERT = """
from pathlib import Path
from hotloop.core import paths
from hotloop.engines.serving.network_file import onnx_file
Path(target).write_bytes(onnx_file(paths.curriculum() / "triton_ensemble" / "model"))
"""

SHARDED = """
import shutil
from hotloop.core import paths
shutil.copyfile(paths.exercises() / "portable_trainer/fsdp_trace.json", target)
"""

AFTER_THE_LONGEST_SELECTION = """(
    select s.ts + s.dur as ts, 0 as depth, s.track_id,
        (select min(n.ts) from slice n where n.track_id = s.track_id and n.ts > s.ts)
        - s.ts - s.dur as dur
    from slice s where s.name = 'cub::DeviceSelectSweepKernel' order by s.dur desc limit 1
)"""

HEALTHY = """
import gzip
from pathlib import Path
from hotloop.core import paths
packed = paths.exercises() / "profile_training_loop/recorded_healthy.pt.trace.json.gz"
Path(target).write_bytes(gzip.decompress(packed.read_bytes()))
"""

IN_THE_STEP = (
    "(select * from slice where name glob '{name}' and ts >= (select ts from slice where name ="
    " 'ProfilerStep#3') order by ts limit 1)"
)

MLIR = """
from pathlib import Path
from hotloop.core import paths
import mlir_pass
golden = (paths.curriculum() / "ssa_passes" / "golden" / "regions.mlir").read_text()
module = mlir_pass.read(golden)
Path(target).write_text(str({module}))
"""

LENGTHS = """
import os

os.environ["TORCH_TRACE"] = target
os.environ["TORCHINDUCTOR_CACHE_DIR"] = target + ".cache"
import torch

weight = torch.randn(64, 64)


def layer(x):
    return torch.nn.functional.gelu(x @ weight)


compiled = torch.compile(layer)
for length in (10, 11, 12, 99, 1):
    compiled(torch.randn(length, 64))
"""

HLO = """
import glob, os, shutil, sys, tempfile

folder = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = f"--xla_dump_to={folder} --xla_dump_hlo_as_dot"
from hotloop.core import paths
sys.path.insert(0, str(paths.curriculum() / "xla_vs_eager" / "proofs"))
import fusion
import jax
import numpy as np

jax.jit(fusion.normalized)(np.ones((64, 64), np.float32)).block_until_ready()
[dumped] = glob.glob(f"{folder}/*jit_normalized.*after_optimizations.dot")
shutil.copyfile(dumped, target)
"""

MONITOR = """
from pathlib import Path

from hotloop.core import paths
import monitor

Path(target).mkdir()
recording = paths.exercises() / "portable_trainer/monitor_recording.jsonl"
monitor.tensorboard(recording, Path(target) / "events.out.tfevents.monitor")
"""

GRAPH = (440, 560)
TIMELINE = (720, 700)

PICTURES = (
    Picture(
        "profile_training_loop",
        "healthy",
        "perfetto",
        ".json",
        HEALTHY,
        (
            slices(IN_THE_STEP.format(name="load"), "left"),
            slices(IN_THE_STEP.format(name="forward"), "bottom"),
            slices(IN_THE_STEP.format(name="average"), "bottom"),
            slices(IN_THE_STEP.format(name="gloo:all_reduce"), "left"),
        ),
        TIMELINE,
        "slice where name = 'ProfilerStep#3'",
    ),
    Picture(
        "profile_training_loop",
        "gap",
        "perfetto",
        ".json",
        GENERATED,
        (
            slices("slice where name = 'cudaStreamSynchronize' and dur > 10e6", "bottom"),
            Mark(
                (Slices("slice where name = 'mixup'"), Slices(AFTER_THE_LONGEST_SELECTION)), "right"
            ),
        ),
        TIMELINE,
        "slice where name in ('ProfilerStep#18', 'ProfilerStep#20')",
    ),
    Picture(
        "portable_trainer",
        "sharded_step",
        "perfetto",
        ".json",
        SHARDED,
        (
            slices("slice where name = 'FSDP::pre_forward (block2)'"),
            slices("slice where name = 'FSDP::backward_prefetch for block1'"),
            slices(
                "(select * from slice where name = 'gloo:all_gather' order by dur desc limit 1)"
            ),
        ),
        TIMELINE,
        "slice",
    ),
    Picture(
        "resnet_tensorrt",
        "block",
        "netron",
        ".onnx",
        "import export; export.export(18, target)",
        (nodes(("Conv", 0), ("Relu", 0)),),
        GRAPH,
        view="Add",
    ),
    Picture(
        "resnet_tensorrt",
        "fused_block",
        "netron",
        ".onnx",
        OPTIMIZED,
        (node("FusedConv"), nodes(("Add", 0), ("Relu", 0))),
        GRAPH,
        view="Add",
        first=2,
    ),
    Picture(
        "control_flow_export",
        "early_exit",
        "netron",
        ".onnx",
        EARLY_EXIT,
        (node("Greater"), node("false_graph_0"), node("true_graph_0", side="left")),
        GRAPH,
        "If",
    ),
    Picture(
        "yolo_on_mobile",
        "suppression",
        "netron",
        ".onnx",
        "import export; export.export(10, target)",
        (node("floor"), node("Transpose", side="right"), node("NonMaxSuppression")),
        GRAPH,
        "NonMaxSuppression",
    ),
    Picture(
        "yolo_on_mobile",
        "litert",
        "netron",
        ".tflite",
        "import to_litert; to_litert.to_litert(128, 128, target)",
        (),
        GRAPH,
        "Logistic",
        python="LITERT_PYTHON",
    ),
    Picture(
        "triton_ensemble",
        "bert_layer",
        "netron",
        ".onnx",
        BERT,
        (node("MatMul", 1, side="right"), node("Add", 1), node("MatMul", 2)),
        (560, 560),
        "Softmax",
    ),
    Picture(
        "ssa_passes",
        "regions",
        "netron",
        ".mlir",
        MLIR.format(module="module"),
        (node("if", 0, side="right"), node("if", 1)),
        (400, 460),
        "if",
    ),
    Picture(
        "ssa_passes",
        "clean_regions",
        "netron",
        ".mlir",
        MLIR.format(module="mlir_pass.clean(module)"),
        (node("if"),),
        (400, 460),
        "if",
        first=3,
    ),
    Picture(
        "transformer_compilation",
        "compilations",
        "perfetto",
        "",
        LENGTHS,
        (
            slices("(select * from slice where name = 'dynamo' order by ts limit 1)"),
            slices(
                "slice where name = 'compile_file' and ts < (select min(ts + dur) from slice"
                " where name = 'dynamo')"
            ),
            slices("(select * from slice where name = 'dynamo' order by ts limit 1 offset 1)"),
            slices("(select * from slice where name = 'dynamo' order by ts limit 1 offset 2)"),
        ),
        TIMELINE,
        "slice",
    ),
    Picture(
        "xla_vs_eager",
        "normalized",
        "graphviz",
        ".dot",
        HLO,
        (
            element(".cluster", nth=0),
            element(".cluster", nth=1),
            element(".node", "Parameter 0", 4, "right"),
        ),
        (460, 1020),
    ),
    Picture(
        "portable_trainer",
        "monitor",
        "tensorboard",
        "",
        MONITOR,
        (
            element("line-chart", side="top"),
            element("input[type=number]", side="top"),
            element("mat-checkbox", "Ignore outliers in chart scaling"),
        ),
        (760, 720),
        "step%2Fseconds",
    ),
)
