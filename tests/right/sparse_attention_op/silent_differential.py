"""Each fault is computed in numpy; the file is what it agrees with. The fixed file is task 4's."""


### BEGIN SOLUTION sparse_attention_op.silent
def model(q, k, v, threshold, block, causal, kind):
    """The layer in float64, with one fault of those that the inputs can show."""
    keys = q if kind == "keys" else k
    n, d = q.shape[2:]
    home = np.arange(n) // block
    member = (np.arange(home[-1] + 1)[:, None] == home).astype(float)
    counts = np.full((len(member), 1), block) if kind == "padding" else member.sum(1, keepdims=True)
    of_q, of_keys = (member @ x / counts for x in (q, keys))
    gate = of_q @ of_keys.swapaxes(2, 3) / math.sqrt(d)
    seen = (gate >= threshold[:, None, None])[:, :, home][:, :, :, home]
    if causal:
        seen = seen & (home[:, None] >= home if kind == "causal" else np.tri(n, dtype=bool))
    scores = np.where(seen, q @ keys.swapaxes(2, 3) / math.sqrt(d), -1e30)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    if kind != "average":
        weights = weights * seen
    total = weights.sum(-1, keepdims=True)
    return weights @ v / np.where(total > 0, total, 1)


class File:
    def __init__(self, path):
        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.ends = {end.name: end.shape for end in self.session.get_inputs()}

    def __call__(self, **arrays):
        feeds = {name: arrays[name].astype(np.float32) for name in self.ends}
        return self.session.run(["out"], feeds)[0].astype(float)

    def draw(self, seed):
        rng = np.random.default_rng(seed)
        return {name: rng.standard_normal(shape) for name, shape in self.ends.items()}


def clear(arrays, block):
    """A threshold for each head that no gate is near, whichever fault there is."""
    gates = []
    for kind in ("agrees", "keys", "padding"):
        keys = arrays["q"] if kind == "keys" else arrays["k"]
        n, d = keys.shape[2:]
        home = np.arange(n) // block
        member = (np.arange(home[-1] + 1)[:, None] == home).astype(float)
        counts = block if kind == "padding" else member.sum(1, keepdims=True)
        means = [member @ x / counts for x in (arrays["q"], keys)]
        gate = means[0] @ means[1].swapaxes(2, 3) / math.sqrt(d)
        gates.append(gate.reshape(gate.shape[1], -1))
    found = []
    for row in np.sort(np.concatenate(gates, 1)):
        middle = row[len(row) // 4 : -(len(row) // 4)]
        at = int(np.argmax(np.diff(middle)))
        found.append((middle[at] + middle[at + 1]) / 2)
    return np.array(found)


def fault(path, block, causal):
    """What is wrong with the export at `path`: one of FAULTS, or AGREES."""
    file = File(path)
    first = file.draw(1)
    low, high = np.full_like(first["threshold"], -1e9), np.full_like(first["threshold"], 1e9)
    if np.array_equal(file(**{**first, "threshold": low}), file(**{**first, "threshold": high})):
        # The choice does not depend on the threshold: does it depend on q and k at all?
        unit = np.broadcast_to(np.eye(*first["v"].shape[2:]), first["v"].shape)
        strong = 50 * np.ones_like(first["q"])
        seen = [
            file(**{**first, "q": sign * strong, "k": strong, "v": unit}) > 0 for sign in (1, -1)
        ]
        return "frozen" if np.array_equal(*seen) else "threshold"
    left = {"keys", "padding", "average", "agrees", *(["causal"] if causal else [])}
    for seed in range(3, 40):
        arrays = file.draw(seed)
        arrays["threshold"] = clear(arrays, block)
        for threshold in (arrays["threshold"], high):
            given = {**arrays, "threshold": threshold}
            got = file(**given)
            left = {
                kind
                for kind in left
                if np.allclose(got, model(**given, block=block, causal=causal, kind=kind), atol=1e-4)
            }
        if len(left) == 1:
            break
    return AGREES if AGREES in left else left.pop()


def mended(heads, depth, block, causal, target):
    """Write legacy.LegacyLayer(block, causal) to `target`, right for every input."""
    export_ops.decomposed(20, heads, depth, block, causal, target)


### END SOLUTION
