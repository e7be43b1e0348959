"""The served network: as accurate as it is said to be, and the same in ONNX as in PyTorch."""

import hashlib
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from hotloop.core import paths
from hotloop.engines.serving import network_file, onnx_signature, repository
from hotloop.engines.serving.environment import ServingEnvironment, find
from hotloop.engines.serving.unavailable import ServingUnavailable

FOLDER = paths.curriculum() / "triton_ensemble" / "model"
EXPORTED = "298a916fd74b2e287b2abfb71023882dea89914d3838504866f05a3cf9c5d734"
EXPORTED_2 = "0d29e20225cc7cd141bf811fa8e2e80050bbee8b79ffb9146bb4fd769cfebe2a"
NAMES = ("texts", "encoder", "wordpiece", "checkpoint", "export")
SECOND_OPINION = """
import json, sys
import numpy as np, onnxruntime
given = json.load(sys.stdin)
session = onnxruntime.InferenceSession(given["model"], providers=["CPUExecutionProvider"])
feed = {name: np.array(rows, np.int64) for name, rows in given["feed"].items()}
json.dump(session.run(None, feed)[0].tolist(), sys.stdout)
"""

for _needed in ("tokenizers", "safetensors"):
    pytest.importorskip(_needed, reason=f"{_needed}: pip install 'hotloop[serving]'")


@pytest.fixture(scope="module")
def model() -> Iterator[dict[str, ModuleType]]:
    """The scripts, imported as they import each other when one is run."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: importlib.import_module(name) for name in NAMES if _can_import(name)}
    finally:
        sys.path.remove(str(FOLDER))
        for name in NAMES:
            sys.modules.pop(name, None)


def _can_import(name: str) -> bool:
    return name != "export" or importlib.util.find_spec("onnx") is not None


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Version 1 as it is served."""
    file = tmp_path_factory.mktemp("served") / "model.onnx"
    file.write_bytes(network_file.onnx_file(FOLDER))
    return file


@pytest.fixture(scope="module")
def ours(model: dict[str, Any]) -> Any:
    return model["checkpoint"].load()


def test_all_of_it_is_small_enough_for_a_repository() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < 3 << 19


@pytest.mark.slow
def test_the_accuracy_is_the_one_that_is_stated() -> None:
    """On the texts of this Python: another version has somewhat other docstrings."""
    command = [sys.executable, str(FOLDER / "accuracy.py")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    measured = float(_found(r"accuracy +([\d.]+)%", said))
    stated = float(_found(r"right about ([\d.]+) %", (FOLDER / "README.md").read_text()))
    assert abs(measured - stated) < 2.0
    assert measured > 3 * float(_found(r"most frequent topic +([\d.]+)%", said))


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, pattern
    return match[1]


@pytest.fixture(scope="module")
def texts(model: dict[str, Any]) -> list[Any]:
    return model["texts"].read()


@pytest.mark.slow
def test_no_sentence_is_in_training_and_in_the_test(
    model: dict[str, Any], texts: list[Any]
) -> None:
    held_out = {text.sentence for text in texts if text.held_out}
    known = {text.sentence for text in texts if not text.held_out}
    assert len(texts) > 5000
    assert not held_out & known
    assert 0.12 < len(held_out) / len(texts) < 0.18
    assert {text.topic for text in texts} == set(range(len(model["texts"].TOPICS)))


@pytest.mark.slow
def test_padding_changes_nothing(model: dict[str, Any], ours: Any) -> None:
    """What stands behind the last token is not looked at."""
    ids, mask = model["wordpiece"].encode(ours.tokenizer, ["Open the file for reading."])
    noise = np.where(mask == 0, 77, ids)
    with torch.no_grad():
        padded = ours.network(torch.from_numpy(ids), torch.from_numpy(mask))
        noisy = ours.network(torch.from_numpy(noise), torch.from_numpy(mask))
        unmasked = ours.network(torch.from_numpy(noise), torch.ones_like(torch.from_numpy(mask)))
    torch.testing.assert_close(padded, noisy)
    assert (padded - unmasked).abs().max() > 0.1, "without its mask it would be another answer"


def test_every_text_gets_the_same_length(model: dict[str, Any], ours: Any) -> None:
    ids, mask = model["wordpiece"].encode(ours.tokenizer, ["", "open", "open " * 500])
    assert ids.shape == mask.shape == (3, model["wordpiece"].LENGTH)
    assert mask.sum(1).tolist() == [2, 3, model["wordpiece"].LENGTH]


@pytest.mark.slow
def test_the_served_onnx_is_the_network(served: Path, model: dict[str, Any], ours: Any) -> None:
    signature = onnx_signature.read(served)
    length = model["wordpiece"].LENGTH
    assert [(s.name, s.data_type, s.shape) for s in signature.inputs] == [
        ("input_ids", "TYPE_INT64", (-1, length)),
        ("attention_mask", "TYPE_INT64", (-1, length)),
    ]
    [logits] = signature.outputs
    assert (logits.name, logits.data_type, logits.shape) == ("logits", "TYPE_FP32", (-1, 6))
    if "export" not in model:
        pytest.skip("onnx: pip install 'hotloop[serving]'")
    data = served.read_bytes()
    assert model["export"].compare(ours, data) < 1e-5


def test_both_versions_are_the_files_that_were_exported() -> None:
    """To the byte: recorded deployments served them."""
    digests = [
        hashlib.sha256(network_file.onnx_file(FOLDER, prefix)).hexdigest()
        for prefix in ("", "second.")
    ]
    assert digests == [EXPORTED, EXPORTED_2]


def test_the_graph_is_what_an_exported_file_holds_beside_its_weights(
    model: dict[str, Any], served: Path
) -> None:
    if "export" not in model:
        pytest.skip("onnx: pip install 'hotloop[serving]'")
    weights = network_file.tensors((FOLDER / network_file.WEIGHTS).read_bytes())
    graph = json.loads((FOLDER / network_file.GRAPH).read_text())
    assert list(model["export"].parts(served.read_bytes(), weights)) == graph


@pytest.mark.slow
def test_a_network_that_differs_is_refused(served: Path, model: dict[str, Any], ours: Any) -> None:
    if "export" not in model:
        pytest.skip("onnx: pip install 'hotloop[serving]'")
    other = model["checkpoint"].load(version=2)
    with pytest.raises(RuntimeError, match="differ by"):
        model["export"].compare(other, served.read_bytes())


@pytest.mark.slow
def test_exporting_again_gives_the_served_file(
    served: Path, model: dict[str, Any], ours: Any, tmp_path: Path
) -> None:
    """To the answers: another version of the exporter may write the graph differently."""
    pytest.importorskip("onnxscript", reason="onnxscript: pip install 'hotloop[serving]'")
    file = tmp_path / "second.onnx"
    command = [sys.executable, str(FOLDER / "export.py"), "--version", "2", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "off by at most" in said
    first = onnx_signature.read(served)
    assert onnx_signature.read(file) == first
    second = model["checkpoint"].load(version=2)
    assert model["export"].compare(second, file.read_bytes()) < 1e-5


@pytest.mark.slow
@pytest.mark.serving
def test_onnxruntime_agrees(
    served: Path, model: dict[str, Any], ours: Any, texts: list[Any]
) -> None:
    try:
        environment: ServingEnvironment = find()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))
    held_out = [text.sentence for text in texts if text.held_out][:64]
    ids, mask = model["wordpiece"].encode(ours.tokenizer, held_out)
    feed = {"input_ids": ids.tolist(), "attention_mask": mask.tolist()}
    done = subprocess.run(
        [str(environment.python), "-I", "-c", SECOND_OPINION],
        input=json.dumps({"model": str(served), "feed": feed}),
        capture_output=True,
        text=True,
        check=True,
    )
    with torch.no_grad():
        want = ours.network(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    np.testing.assert_allclose(np.array(json.loads(done.stdout)), want, atol=1e-4)


@pytest.mark.slow
def test_the_second_version_answers_otherwise_and_is_less_sure(
    model: dict[str, Any], texts: list[Any]
) -> None:
    held_out = [text for text in texts if text.held_out]
    first, second = (model["checkpoint"].load(version=number) for number in (1, 2))
    ids, mask = map(
        torch.from_numpy,
        model["wordpiece"].encode(first.tokenizer, [text.sentence for text in held_out]),
    )
    with torch.no_grad():
        shares = [found.network(ids, mask).softmax(-1) for found in (first, second)]
    assert shares[1].amax(-1).mean() < shares[0].amax(-1).mean() - 0.1
    agree = (shares[0].argmax(-1) == shares[1].argmax(-1)).float().mean()
    assert 0.9 < agree < 1.0
    with pytest.raises(ValueError, match="no second version"):
        model["checkpoint"]._fitting({}, first.network, 2)


@pytest.mark.slow
def test_a_checkpoint_in_hugging_face_s_layout_is_loaded(
    model: dict[str, Any], tmp_path: Path
) -> None:
    """With vocab.txt and a pickle, as older ones have, and with names that are not weights."""
    encoder = model["encoder"]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "open", "the", "file", "##s"]
    config = {
        "model_type": "bert",
        "vocab_size": len(vocabulary),
        "hidden_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "intermediate_size": 40,
        "max_position_embeddings": 16,
        "id2label": {"0": "no", "1": "yes"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
    torch.manual_seed(0)
    network = encoder.Classifier(encoder.Shape.of(config)).eval()
    weights = {**network.state_dict(), "bert.embeddings.position_ids": torch.arange(16)}
    torch.save(weights, tmp_path / "pytorch_model.bin")
    found = model["checkpoint"].load(tmp_path)
    assert found.labels == ("no", "yes")
    ids, mask = model["wordpiece"].encode(found.tokenizer, ["Open the files"])
    assert ids[0].tolist() == [2, 5, 6, 7, 8, 3, *[0] * 10]
    with torch.no_grad():
        want = network(torch.from_numpy(ids), torch.from_numpy(mask))
        got = found.network(torch.from_numpy(ids), torch.from_numpy(mask))
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize(
    ("change", "says"),
    [({"model_type": "gpt2"}, "gpt2 network is not BERT"), ({}, "pooler.dense.bias is missing")],
)
def test_another_network_is_refused_by_name(
    model: dict[str, Any], tmp_path: Path, change: dict[str, str], says: str
) -> None:
    config = json.loads((FOLDER / "config.json").read_text()) | change
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = model["checkpoint"].load().network.state_dict()
    del weights["bert.pooler.dense.bias"]
    torch.save(weights, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match=says):
        model["checkpoint"].load(tmp_path)


def test_a_checkpoint_runs_no_code(model: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text((FOLDER / "config.json").read_text())
    (tmp_path / "tokenizer.json").write_text((FOLDER / "tokenizer.json").read_text())
    marker = tmp_path / "ran"

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (marker,)

    torch.save({"bert.x": Hostile()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(Exception, match=r"weights_only|Weights only"):
        model["checkpoint"].load(tmp_path)
    assert not marker.exists()


def test_the_model_in_the_repository_is_the_one_that_is_checked(
    served: Path, tmp_path: Path
) -> None:
    """A model whose shape changes makes every config.pbtxt wrong: the static check says so."""
    version = tmp_path / "bert" / "1"
    version.mkdir(parents=True)
    (version / "model.onnx").write_bytes(served.read_bytes())
    (version.parent / "config.pbtxt").write_text(
        'backend: "onnxruntime" max_batch_size: 8\n'
        'input [ { name: "input_ids" data_type: TYPE_INT64 dims: [ 31 ] },\n'
        '        { name: "attention_mask" data_type: TYPE_INT64 dims: [ 32 ] } ]\n'
        'output [ { name: "logits" data_type: TYPE_FP32 dims: [ 6 ] } ]\n'
    )
    [problem] = repository.check(tmp_path)
    assert problem.line == 2
    assert "[-1, 32] in the model, and [-1, 31] here" in problem.text
