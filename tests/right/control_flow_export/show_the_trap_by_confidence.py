"""The exit is read from the confidence of the first layer; messages are drawn in batches of 16."""


### BEGIN SOLUTION control_flow_export.show_the_trap
def departures(seed, example_path):
    net = encoder.load(seed)
    with open(example_path) as file:
        given = json.load(file)
    rows = torch.tensor(given["tokens"])
    kind, length = given["kind"], rows.shape[-1]

    @torch.no_grad()
    def confidence_of(tokens, kind):
        first = encoder.load(seed)
        first.sure.fill_(-1)
        return encoder.confidence(first(tokens, torch.tensor(kind)))

    limit = net.sure.item()
    leaves = confidence_of(rows, kind).min().item() > limit

    def search(kind, length, leaves):
        for attempt in range(400):
            torch.manual_seed(attempt)
            words = torch.randint(1, 512, (16, length))
            if attempt > 20:
                words[:, 1:] = words[:, :1].expand(-1, length - 1)
            sure = confidence_of(words, kind)
            margin = (sure - limit) * (1 if leaves else -1)
            best = int(margin.argmax())
            if margin[best] > 0.01:
                return {"tokens": [words[best].tolist()], "kind": kind}
        raise RuntimeError("no such message")

    long = length > 32
    neighbors = range(33, 129) if long else range(1, 33)
    other_length = next(n for n in neighbors if n != length and abs(n - length) < 3)
    return {
        "agrees": search(kind, other_length, leaves),
        "kind": search([1, 2, 0][kind], length, leaves),
        "length": search(kind, 20 if long else 50, leaves),
        "exit": search(kind, length, not leaves),
    }


### END SOLUTION
