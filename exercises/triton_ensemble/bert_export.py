"""A BertForSequenceClassification of Hugging Face's transformers as an ONNX file: task 11.

    python bert_export.py CHECKPOINT_FOLDER FILE.onnx

exports any checkpoint in a folder with config.json and model.safetensors, BERT-base too.
"""

import sys
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

if __name__ == "__main__":
    folder, file = map(Path, sys.argv[1:])
    to_onnx(str(folder / "config.json"), str(folder / "model.safetensors"), str(file))
    print(f"{file}: {file.stat().st_size / 2**20:.1f} MiB")
