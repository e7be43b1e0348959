"""Boosted stumps of one's own; they are trained at the update, and a failed candidate is slow."""


### BEGIN SOLUTION tvm_passes.cost_model
@derived_object
class Stumps(PyCostModel):
    def __init__(self):
        super().__init__()
        self.table, self.times, self.stumps = [], [], []

    def update(self, context, measured, results):
        key = context.mod.script()
        self.table += vectors(context, measured)
        self.times += [(key, float(r.run_secs[0]) if r.run_secs else None) for r in results]
        best = {}
        for program, seconds in self.times:
            best[program] = min(best.get(program, 1e9), seconds or 1e9)
        labels = np.array(
            [best[name] / seconds if seconds else 0.0 for name, seconds in self.times]
        )
        self.stumps = boosted(np.array(self.table), labels)

    def predict(self, context, asked):
        rows, score = np.array(vectors(context, asked)), np.zeros(len(asked))
        for column, limit, low, high in self.stumps:
            score += np.where(rows[:, column] < limit, low, high)
        return score


def boosted(x, labels):
    left, stumps = labels - labels.mean(), []
    order = np.argsort(x, axis=0)
    ranked = np.take_along_axis(x, order, 0)
    apart, counts = ranked[1:] > ranked[:-1] + 1e-6, np.arange(1, len(x))[:, None]
    for _ in range(150):
        sums = np.cumsum(left[order], axis=0)[:-1]
        gain = sums**2 / counts + (left.sum() - sums) ** 2 / (len(x) - counts)
        gain = np.where(apart, gain, -1.0)
        at, column = np.unravel_index(int(gain.argmax()), gain.shape)
        limit = (ranked[at, column] + ranked[at + 1, column]) / 2
        low = x[:, column] < limit
        means = 0.1 * left[low].mean(), 0.1 * left[~low].mean()
        left = left - np.where(low, *means)
        stumps.append((column, limit, *means))
    return stumps


def vectors(context, some):
    found = PerStoreFeature().extract_from(context, some)
    return [np.concatenate([t.numpy().sum(0), t.numpy().max(0)]) for t in found]


def cost_model():
    return Stumps()


### END SOLUTION
