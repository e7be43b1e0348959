"""Trains on half of each batch: the steps are as many, the work is not.

fails: train.correct
"""


### BEGIN SOLUTION profile_training_loop.train
def train(images, labels, plan, rate, initial, trained):
    """As slow_loop.train, and faster.

    images: uint8 [n, 32, 32, 3]. labels: int64 [n]. plan: int64 [steps, batch, 4]. rate: how far
    a step goes. initial, trained: float32 [parameters and statistics]; `trained` is filled.
    """
    on_gpu = DEVICE == "cuda"
    torch.backends.cudnn.benchmark = on_gpu
    # Bytes travel, not floats, and only once; the device does the arithmetic.
    images, labels, entries = (t.to(DEVICE) for t in (images, labels, plan))
    padded = torch.nn.functional.pad(images, (0, 0, PADDING, PADDING, PADDING, PADDING))
    mean = torch.tensor(MEAN, device=DEVICE)
    deviation = torch.tensor(DEVIATION, device=DEVICE)
    model = ResNet(size_for(DEVICE)).to(DEVICE, memory_format=torch.channels_last)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(
        model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY, fused=True
    )
    for whole in entries:
        step = whole[::2]
        # [batch, height, width, channels] with channels in front is channels_last already.
        inputs = ((cut(padded, step) - mean) / deviation).movedim(3, 1)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=on_gpu):
            loss = cross_entropy(model(inputs), labels[step[:, 0]])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    pack(model, trained)


def cut(padded, step):
    """The pixels that a step's entries ask for, as bytes: all images were padded before."""
    sample, down, right, mirrored = step.unbind(1)
    side = torch.arange(padded.shape[1] - 2 * PADDING, device=padded.device)
    rows = down[:, None] + side
    columns = right[:, None] + torch.where(mirrored[:, None].bool(), side.flip(0), side)
    return padded[sample[:, None, None], rows[:, :, None], columns[:, None, :]]


### END SOLUTION
