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


### TASK triton_ensemble.bert_export
def to_onnx(config, weights, target):
    """Write the classifier as one ONNX file.

    config: path of config.json. weights: path of model.safetensors. In: input_ids and
    attention_mask, int64 [batch, length]; out: logits, float32 [batch, labels]. Both sizes
    are free, from 1 on.
    """
    raise NotImplementedError("triton_ensemble.bert_export")


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
