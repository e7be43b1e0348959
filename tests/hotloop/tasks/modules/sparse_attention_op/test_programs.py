"""The judge's programs: the function in ONNX, the faults in it, the models around it."""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hotloop.judge.onnx.programs import TRUSTED
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.sparse_attention_op import (
    fallbacks,
    files,
    patterns,
    silent_exports,
    truth,
)

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    folders = [str(files.PROGRAMS), str(TRUSTED)]
    sys.path[:0] = folders
    yield files.PROGRAMS
    for folder in folders:
        sys.path.remove(folder)


def test_the_formats_of_opsets_are_those_that_onnx_knows() -> None:
    made = {
        opset: onnx.helper.find_min_ir_version_for([onnx.helper.make_opsetid("", opset)])
        for opset in fallbacks.IR_OF
    }
    assert made == dict(fallbacks.IR_OF)


def module(name: str) -> ModuleType:
    return __import__(name)


def bare(block: int, causal: bool, path: Path) -> str:
    """A file with one node and nothing after it."""
    helper = onnx.helper
    ends = [helper.make_tensor_value_info(n, 1, None) for n in (*files.INPUTS, files.OUTPUT)]
    node = helper.make_node(
        files.NAME, files.INPUTS, [files.OUTPUT], domain=files.DOMAIN, block=block, causal=causal
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(files.DOMAIN, 1)]
    graph = helper.make_graph([node], "node", ends[:4], ends[4:])
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)
    return str(path)


def far(runner: ModuleType, sample: patterns.Sample) -> float:
    """Return the largest difference between the loaded model's output and the truth."""
    given = [torch.from_numpy(x.astype("f4")) for x in (sample.q, sample.k, sample.v)]
    out = torch.zeros(sample.shape)
    runner.run(*given, torch.from_numpy(sample.threshold.astype("f4")), out)
    want = truth.attention(
        sample.q, sample.k, sample.v, sample.threshold, sample.block, sample.causal
    )
    return float(np.abs(out.numpy() - want).max())


@pytest.mark.parametrize("causal", [False, True])
def test_our_function_is_the_paper(programs: Path, tmp_path: Path, causal: bool) -> None:
    runner = module("onnx_runner")
    runner.load_with_ours(bare(16, causal, tmp_path / "node.onnx"))
    rng = np.random.default_rng(7)
    for length, fixed in ((1, (patterns.FULL, patterns.EMPTY)), (40, ()), (64, (None, -np.inf))):
        sample = patterns.sampled(rng, (2, 2, length, 16), 16, causal=causal, fixed=fixed)
        assert far(runner, sample) < 1e-5


@pytest.mark.parametrize("fault", [*silent_exports.FAULTS, silent_exports.AGREES])
def test_each_fault_is_one(programs: Path, tmp_path: Path, fault: str) -> None:
    """A file without a fault agrees; one with a fault does not, on inputs that expose it."""
    made = module("silent_files").made(1, fault, 2, 32, 21, 4, 1)
    path = tmp_path / "traced.onnx"
    path.write_bytes(base64.b64decode(made))
    runner = module("onnx_runner")
    runner.load(str(path))
    rng = np.random.default_rng(8)
    sample = patterns.sampled(rng, (1, 2, 21, 32), 4, causal=True, fixed=(None, patterns.EMPTY))
    apart = far(runner, sample)
    everything = patterns.sampled(rng, (1, 2, 21, 32), 4, causal=True, fixed=(patterns.FULL,) * 2)
    apart = max(apart, far(runner, everything))
    lonely = patterns.sampled(rng, (1, 2, 21, 32), 4, causal=True, share=0.5)
    apart = max(apart, far(runner, lonely))
    assert (apart < 1e-5) == (fault == silent_exports.AGREES)


def test_the_faults_are_those_that_are_made(programs: Path) -> None:
    assert module("silent_files").FAULTS == silent_exports.FAULTS


def test_made_shapes_are_those_that_run(programs: Path, tmp_path: Path) -> None:
    """With numbers for the names, every tensor of a built model has the reported shape."""
    import onnxruntime

    made = module("shape_models").made(3, 2, False)
    model = onnx.load_from_string(base64.b64decode(made["model"]))
    module("lab_function").given_to(model)
    del model.graph.output[:]
    names = list(made["shapes"])
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    width = model.graph.input[0].type.tensor_type.shape.dim[2].dim_value
    given = np.zeros((2, 37, width), np.float32)
    sizes = {"batch": 2, "length": 37}
    for name, value in zip(names, session.run(None, {"tokens": given}), strict=True):
        assert list(value.shape) == [sizes.get(d, d) for d in made["shapes"][name]]


def test_a_runtime_reads_the_model_that_it_is_given(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = SimpleNamespace(ask=lambda _name, seed: module("mixed_models").made(seed))
    monkeypatch.setattr(fallbacks, "MODELS", SimpleNamespace(trusted=lambda _session: ours))
    for seed in range(8):
        for assignment in fallbacks.assignments(np.random.default_rng(seed), cast(Any, None)):
            given, described = cast("tuple[GivenFile, GivenFile]", assignment.arguments)
            model, runtime = onnx.load_from_string(given.data), json.loads(described.data)
            assert model.ir_version <= runtime["ir"]
            assert max(entry.version for entry in model.opset_import) <= runtime["opset"]
