"""Changes the length and thereby, unseen, the way out as well: two decisions at once.

fails: show_the_trap.correct
"""


### BEGIN SOLUTION control_flow_export.show_the_trap
def departures(seed, example_path):
    """Does not ask the source whether it leaves early."""
    source = encoder.load(seed)
    example = json.loads(Path(example_path).read_text())
    kind, length = example["kind"], len(example["tokens"][0])
    other = 24 if length > encoder.FULL_UP_TO else 48
    late = goes_on(source, torch.tensor(example["tokens"]), kind)
    return {
        "kind": drawn(source, (kind + 1) % 3, length, late),
        "length": drawn(source, kind, other, not late),
        "exit": drawn(source, kind, length, not late),
        "agrees": drawn(source, kind, length - 1, late),
    }


def drawn(source, kind, length, late):
    numbers = torch.Generator().manual_seed(0)
    while True:
        tokens = torch.randint(1, encoder.VOCABULARY, (1, length), generator=numbers)
        if goes_on(source, tokens, kind) == late:
            return {"tokens": tokens.tolist(), "kind": kind}


@torch.inference_mode()
def goes_on(source, tokens, kind):
    called = []
    hook = source.layers[1].register_forward_hook(lambda *_: called.append(True))
    source(tokens, torch.tensor(kind))
    hook.remove()
    return bool(called)


### END SOLUTION
