"""Small networks in PyTorch that learn which of two candidates is faster; their mean ranks."""

### BEGIN SOLUTION tvm_passes.cost_model
import torch
from torch import nn


@derived_object
class Pairs(PyCostModel):
    def __init__(self):
        super().__init__()
        self.groups = {}

    def update(self, context, measured, results):
        group = self.groups.setdefault(context.mod.script(), [])
        times = [float(min(r.run_secs)) if r.run_secs else 1e9 for r in results]
        group.extend(zip(rows_of(context, measured), times))

    def predict(self, context, asked):
        if not self.groups:
            return np.zeros(len(asked))
        torch.manual_seed(0)
        torch.set_num_threads(1)
        everything = torch.stack([row for group in self.groups.values() for row, _ in group])
        mean, spread = everything.mean(0), everything.std(0)
        used = spread > 1e-4
        others = torch.stack(rows_of(context, asked))
        others = ((others - mean) / spread)[:, used].clamp(-4, 4)
        total = torch.zeros(len(asked))
        for _ in range(5):
            mlp = nn.Sequential(nn.Linear(int(used.sum()), 32), nn.ReLU(), nn.Linear(32, 1))
            steps = torch.optim.Adam(mlp.parameters(), lr=2e-3, weight_decay=1e-2)
            for _ in range(80):
                loss = torch.zeros(())
                for group in self.groups.values():
                    rows = torch.stack([row for row, _ in group])
                    score = mlp(((rows - mean) / spread)[:, used])[:, 0]
                    time = torch.tensor([seconds for _, seconds in group], dtype=torch.float64)
                    speed = (time.min() / time).float()
                    gap, more = score[:, None] - score[None], (speed[:, None] - speed[None]).relu()
                    loss = loss + (nn.functional.softplus(-gap) * more).sum() / more.sum()
                steps.zero_grad()
                loss.backward()
                steps.step()
            with torch.no_grad():
                total += mlp(others)[:, 0]
        return total.double().numpy()


def rows_of(context, some):
    matrices = PerStoreFeature().extract_from(context, some)
    tables = [torch.from_numpy(np.array(m.numpy())).float() for m in matrices]
    return [torch.cat([table.sum(0), table.amax(0)]) for table in tables]


def cost_model():
    return Pairs()


### END SOLUTION
