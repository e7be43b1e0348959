"""ResNet-50 on records of CIFAR-10's binary format, trained as slow_loop.py trains.

A record has 3073 bytes: the label, then the red, the green and the blue plane, 32 rows of 32 each.
`data.records` reads the files of the data set, or draws pictures in the same format.
"""

import torch
from resnet import RESNET50, ResNet, pack, unpack
from slow_loop import MOMENTUM, WEIGHT_DECAY, Log, augment
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Records(Dataset):
    """What the plan asks for, one record after the other."""

    def __init__(self, records, plan):
        self.records = records
        self.entries = plan.reshape(-1, 4)

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, index):
        sample, dy, dx, flip = self.entries[index].tolist()
        label, *planes = self.records[sample].tolist()
        image = torch.tensor(planes, dtype=torch.uint8).view(3, 32, 32).movedim(0, 2)
        return augment(image.numpy(), dy, dx, flip), label


def train_resnet50(records, plan, rate, initial, trained):
    """Train for the steps of a plan and write the weights to `trained`.

    records: uint8 [n, 3073]. plan: int64 [steps, batch, 4], each entry the number of a record, its
    shift down and to the right (0 to 8, 4 is none) and whether it is mirrored. rate: how far a step
    goes. initial, trained: float32 [parameters and statistics], in the order of state_dict.
    """
    steps, batch, _ = plan.shape
    model = ResNet(RESNET50).to(DEVICE)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(
        model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY, foreach=False
    )
    loader = iter(DataLoader(Records(records, plan), batch_size=1, num_workers=0))
    log = Log()
    for step in range(steps):
        pieces = [next(loader) for _ in range(batch)]
        inputs = torch.cat([piece for piece, _ in pieces]).to(DEVICE)
        targets = torch.cat([piece for _, piece in pieces]).to(DEVICE)
        scores = model(inputs)
        loss = cross_entropy(scores, targets)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        log.write(model, step, loss, scores, targets)
    pack(model, trained)
