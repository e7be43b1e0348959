"""Boosted stumps of one's own, over means of features; failed trials left out."""

### BEGIN SOLUTION tvm_passes.cost_model
@derived_object
class Stumps(of_tvm.PyCostModel):
    def __init__(self):
        super().__init__()
        self.table, self.labels, self.best, self.stumps = [], [], {}, []

    def update(self, context, candidates, results):
        key = context.mod.script()
        for row, result in zip(vectors(context, candidates), results):
            if result.run_secs:
                self.table.append(row)
                self.labels.append((key, float(result.run_secs[0])))
                self.best[key] = min(self.best.get(key, np.inf), self.labels[-1][1])

    def predict(self, context, candidates):
        x = np.array(self.table)
        left = np.array([self.best[key] / seconds for key, seconds in self.labels])
        asked = np.array(vectors(context, candidates))
        score, base = np.zeros(len(asked)), left.mean()
        left = left - base
        order = np.argsort(x, axis=0)
        for _ in range(150):
            found = np.take_along_axis(np.broadcast_to(left[:, None], x.shape), order, 0)
            sums, counts = np.cumsum(found, 0)[:-1], np.arange(1, len(x))[:, None]
            ranked = np.take_along_axis(x, order, 0)
            gain = sums**2 / counts + (left.sum() - sums) ** 2 / (len(x) - counts)
            gain = np.where(ranked[1:] > ranked[:-1] + 1e-6, gain, -1)
            at, column = np.unravel_index(int(gain.argmax()), gain.shape)
            limit = (ranked[at, column] + ranked[at + 1, column]) / 2
            low = x[:, column] < limit
            means = 0.2 * left[low].mean(), 0.2 * left[~low].mean()
            left = left - np.where(low, *means)
            score += np.where(asked[:, column] < limit, *means)
        return score


def vectors(context, candidates):
    found = PerStoreFeature().extract_from(context, candidates)
    return [np.concatenate([t.numpy().mean(0), t.numpy().max(0), t.numpy().sum(0)]) for t in found]


def cost_model():
    return Stumps()


### END SOLUTION
