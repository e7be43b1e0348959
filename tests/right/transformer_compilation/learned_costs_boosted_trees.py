"""Gradient-boosted trees, as Ansor has them: written out in NumPy, bagged, with a share of random measurements."""


### BEGIN SOLUTION transformer_compilation.learned_costs
import itertools
import json

import numpy as np

TREES, DEPTH, RATE, BAGS = 50, 3, 0.2, 3


def candidates(space):
    return [dict(zip(space, values)) for values in itertools.product(*space.values())]


def view(shape, schedules):
    """Numbers of a schedule for a shape, a row each."""
    m, n, k = (float(each) for each in shape)
    table = np.array(
        [[s["tile_m"], s["tile_n"], s["tile_k"], s["unroll"], s["vector"], s["keep_output"]] for s in schedules], float
    )
    a, b, c, unroll, vector, keep = table.T
    na, nb, nc = np.ceil(m / a), np.ceil(n / b), np.ceil(k / c)
    read_a = np.where(keep == 1, m * k * nb, m * k)
    write = np.where(keep == 1, 2 * m * n, 2 * m * n * nc)
    return np.column_stack([
        a, b, c, unroll, vector, keep,
        unroll * vector,
        a * c + c * b + a * b,
        na * a * nb * b * nc * c / (m * n * k),
        (read_a + k * n * na + write) / (m * n * k),
        na * nb * nc / (m * n * k),
        1 / a + 1 / b,
        np.full(len(table), m * k + k * n + m * n),
        np.full(len(table), m), np.full(len(table), n), np.full(len(table), k),
    ])


class Tree:
    def __init__(self, x, y, depth):
        self.value = float(y.mean())
        self.children = None
        if depth == 0 or len(y) < 6:
            return
        best = (1e-12, None, None)
        total, base = y.sum(), y.sum() ** 2 / len(y)
        for column in range(x.shape[1]):
            order = np.argsort(x[:, column], kind="stable")
            ordered, sums = x[order, column], np.cumsum(y[order])[:-1]
            count = np.arange(1, len(y))
            gain = sums**2 / count + (total - sums) ** 2 / (len(y) - count) - base
            gain[(ordered[1:] == ordered[:-1]) | (count < 3) | (len(y) - count < 3)] = -1.0
            at = int(gain.argmax())
            if gain[at] > best[0]:
                best = (gain[at], column, (ordered[at] + ordered[at + 1]) / 2)
        if best[1] is not None:
            _, self.column, self.border = best
            below = x[:, self.column] <= self.border
            self.children = Tree(x[below], y[below], depth - 1), Tree(x[~below], y[~below], depth - 1)

    def predict(self, x):
        if self.children is None:
            return np.full(len(x), self.value)
        below = x[:, self.column] <= self.border
        out = np.empty(len(x))
        out[below], out[~below] = self.children[0].predict(x[below]), self.children[1].predict(x[~below])
        return out


class Boosted:
    def __init__(self, x, y, random):
        # A linear model first: trees are constant where there was no measurement.
        self.mean, self.deviation = np.log(x + 1).mean(0), np.log(x + 1).std(0) + 1e-6
        z = self._lines(x)
        self.weights = np.linalg.solve(z.T @ z + 1.0 * np.eye(z.shape[1]), z.T @ y)
        rest, self.trees = y - z @ self.weights, []
        for _ in range(TREES):
            rows = random.random(len(y)) < 0.7
            # Least absolute errors at the far end, so that a late measurement moves little.
            clipped = np.clip(rest, -3 * np.median(np.abs(rest)) - 1e-6, 3 * np.median(np.abs(rest)) + 1e-6)
            tree = Tree(x[rows], clipped[rows], DEPTH)
            self.trees.append(tree)
            rest = rest - RATE * tree.predict(x)

    def _lines(self, x):
        z = (np.log(x + 1) - self.mean) / self.deviation
        return np.column_stack([np.ones(len(x)), z, z**2])

    def __call__(self, x):
        return self._lines(x) @ self.weights + RATE * sum(tree.predict(x) for tree in self.trees)


def tune(path):
    """What to measure next, or the schedule for each shape; see the notebook."""
    given = json.loads(open(path).read())
    schedules = candidates(given["space"])
    random = np.random.default_rng(1000 - given["left"])
    pick = lambda count: [schedules[i] for i in random.choice(len(schedules), count, replace=False)]  # noqa: E731
    if len(given["measured"]) == 0:
        return [[given["shapes"][i % len(given["shapes"])], s] for i, s in enumerate(pick(min(60, given["left"])))]
    x = np.concatenate([view(each["shape"], [each["schedule"]]) for each in given["measured"]])
    y = np.log([each["seconds"] / np.prod(each["shape"]) for each in given["measured"]])
    models = [Boosted(x, y, random) for _ in range(BAGS)]
    mean = lambda shape, some: np.mean([model(view(shape, some)) for model in models], axis=0)  # noqa: E731
    if not given["left"]:
        return [schedules[int(mean(shape, schedules).argmin())] for shape in given["shapes"]]
    asked = []
    for i in range(min(25, given["left"])):
        shape = given["shapes"][i % len(given["shapes"])]
        some = pick(300)
        # One in eight at random; the others by one of the models, so that they are not all alike.
        best = some[0] if i % 8 == 7 else some[int(models[i % BAGS](view(shape, some)).argmin())]
        asked.append([shape, best])
    return asked
### END SOLUTION
