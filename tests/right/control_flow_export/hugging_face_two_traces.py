"""Two traces, one for each way of pooling, behind a scripted choice; the export takes the mean and the first token by a mask."""


### BEGIN SOLUTION control_flow_export.hugging_face
class Part(nn.Module):
    def __init__(self, source, pooled):
        super().__init__()
        self.source, self.pooled = source, pooled

    def forward(self, tokens, allowed):
        seen = self.source.bert(input_ids=tokens, attention_mask=allowed)
        if self.pooled:
            return self.source.classifier(seen.pooler_output)
        real = (tokens != 0).unsqueeze(-1).float()
        return self.source.classifier((seen.last_hidden_state * real).sum(1) / real.sum(1))


class Chosen(nn.Module):
    def __init__(self, pooled, mean):
        super().__init__()
        self.pooled, self.mean = pooled, mean

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        rows, length = tokens.size(0), tokens.size(1)
        allowed = tokens.ne(0).view(rows, 1, 1, length).repeat(1, 1, length, 1)
        if kind.item() == 1:
            allowed = torch.tril(allowed)
        if length > 32:
            return self.mean(tokens, allowed)
        return self.pooled(tokens, allowed)


def to_torchscript(seed, target):
    source = routed.load(seed)
    example = (torch.randint(1, 300, (3, 12)), torch.ones(3, 1, 12, 12).bool())
    with torch.no_grad():
        parts = [torch.jit.trace(Part(source, pooled), example) for pooled in (True, False)]
    torch.jit.script(Chosen(*parts)).save(str(target))


class Exported(nn.Module):
    def __init__(self, source):
        super().__init__()
        self.source = source

    def forward(self, tokens, kind):
        length = tokens.shape[1]
        real = tokens != 0
        order = torch.arange(length)
        causal = (order[:, None] >= order) | (kind != 1)
        seen = self.source.bert(tokens, attention_mask=real[:, None, None, :] & causal)
        words = (seen.last_hidden_state * real.unsqueeze(-1)).sum(1) / real.sum(1, keepdim=True)
        short = (order.max() < routed.POOLED_UP_TO).to(words.dtype)
        vector = short * seen.pooler_output + (1 - short) * words
        return self.source.classifier(vector)


def to_export(seed, target):
    rows, length = torch.export.Dim("rows", max=64), torch.export.Dim("length", max=128)
    program = torch.export.export(
        Exported(routed.load(seed)),
        (torch.ones(3, 9, dtype=torch.int64), torch.tensor(0)),
        dynamic_shapes={"tokens": {0: rows, 1: length}, "kind": None},
    )
    torch.export.save(program, target)


### END SOLUTION
