"""A function around the network by a plain lambda module, a batch of three, and dimensions that are left to the exporter."""

### BEGIN SOLUTION triton_ensemble.bert_export
import os
import tempfile

import onnx


def to_onnx(config, weights, target):
    import safetensors
    from transformers import AutoConfig, BertForSequenceClassification

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = BertForSequenceClassification(BertConfigOf(config)).eval()

        def forward(self, input_ids, attention_mask):
            outputs = self.bert(input_ids, attention_mask=attention_mask, return_dict=False)
            return outputs[0]

    def BertConfigOf(path):
        from transformers import BertConfig

        with open(path) as file:
            import json

            return BertConfig(**json.load(file))

    del AutoConfig
    net = Net()
    with safetensors.safe_open(weights, "pt") as file:
        net.bert.load_state_dict({name: file.get_tensor(name) for name in file.keys()})
    tokens = torch.randint(1, 20, (3, 7))
    mask = torch.ones_like(tokens)
    mask[1, 4:] = 0
    auto = torch.export.Dim.AUTO
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bert.onnx")
        program = torch.onnx.export(
            net,
            (tokens, mask),
            dynamic_shapes={
                "input_ids": {0: auto, 1: auto},
                "attention_mask": {0: auto, 1: auto},
            },
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamo=True,
            verbose=False,
        )
        program.save(path)
        onnx.save(onnx.load(path), target)


### END SOLUTION
