"""A training loop whose data set decodes photos, and nothing else is slow in it.

Profile it before you change anything: which range of a step is the longest?
"""

import torch
from photos import Photos
from resnet import SMALL, ResNet, pack, unpack
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def train_on_photos(files, labels, plan, rate, initial, trained):
    """Train for the epochs of a plan and write the weights to `trained`.

    files: uint8 [n, 40960], one file a row. labels: int64 [n]. plan: int64 [epochs, steps, batch],
    the numbers of the photos of each batch. rate: how far a step goes. initial, trained: float32
    [parameters and statistics], in the order of state_dict.
    """
    model = ResNet(SMALL).to(DEVICE)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY)
    photos = Photos(files, labels)
    for epoch in plan.tolist():
        for inputs, targets in DataLoader(photos, batch_sampler=epoch):
            loss = cross_entropy(model(inputs.to(DEVICE)), targets.to(DEVICE))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    pack(model, trained)
