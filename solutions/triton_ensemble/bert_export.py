"""A BertForSequenceClassification of Hugging Face's transformers as an ONNX file: task 11.

    python bert_export.py CHECKPOINT_FOLDER FILE.onnx

exports any checkpoint in a folder with config.json and model.safetensors. Without a checkpoint,

    python bert_export.py base FOLDER && hotloop serving FOLDER

exports BERT-base with random weights to a repository in FOLDER, with your configuration.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import torch


### BEGIN SOLUTION triton_ensemble.bert_export
### STUB def to_onnx(config, weights, target):
### STUB     """Write the classifier as one ONNX file.
### STUB
### STUB     config: path of config.json. weights: path of model.safetensors. In: input_ids and
### STUB     attention_mask, int64 [batch, length]; out: logits, float32 [batch, labels]. Both sizes
### STUB     are free, from 1 on.
### STUB     """
### STUB     raise NotImplementedError("triton_ensemble.bert_export")
class Logits(torch.nn.Module):
    """Tensors in, a tensor out: an ONNX graph has no dataclass of outputs."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids, attention_mask):
        """float32 [batch, labels]."""
        return self.network(input_ids=input_ids, attention_mask=attention_mask).logits


def to_onnx(config, weights, target):
    """Write the classifier as one ONNX file.

    config: path of config.json. weights: path of model.safetensors. In: input_ids and
    attention_mask, int64 [batch, length]; out: logits, float32 [batch, labels]. Both sizes
    are free, from 1 on.
    """
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForSequenceClassification

    network = BertForSequenceClassification(BertConfig.from_json_file(config))
    network.load_state_dict(load_file(weights))
    # Two rows of several tokens: a size of one would be taken for a fact. And two tensors: of one
    # that is given twice, the exporter makes one input.
    ids, mask = (torch.ones((2, 8), dtype=torch.int64) for _ in range(2))
    longest = network.config.max_position_embeddings
    free = {0: torch.export.Dim("batch", max=1024), 1: torch.export.Dim("length", max=longest)}
    torch.onnx.export(
        Logits(network.eval()),
        (ids, mask),
        target,
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_shapes=(free, free),
        opset_version=18,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


### END SOLUTION


def base_repository(folder):
    """Write a repository with BERT-base: 12 layers, 768, 109 million random weights."""
    from transformers import BertConfig, BertForSequenceClassification

    model = folder / "bert_base"
    (model / "1").mkdir(parents=True)
    shutil.copy(Path(__file__).parent / "base" / "bert_base" / "config.pbtxt", model)
    with tempfile.TemporaryDirectory() as checkpoint:
        BertForSequenceClassification(BertConfig()).save_pretrained(checkpoint)
        files = (f"{checkpoint}/{name}" for name in ("config.json", "model.safetensors"))
        to_onnx(*files, str(model / "1" / "model.onnx"))
    return model / "1" / "model.onnx"


if __name__ == "__main__":
    folder, file = map(Path, sys.argv[1:])
    if str(folder) == "base":
        file = base_repository(file)
    else:
        to_onnx(str(folder / "config.json"), str(folder / "model.safetensors"), str(file))
    print(f"{file}: {file.stat().st_size / 2**20:.1f} MiB")
