"""Pads planes instead of pixels, gathers with flat indices, and gives the layout to inputs and model."""


### BEGIN SOLUTION profile_training_loop.train_resnet50
def train_resnet50(records, plan, rate, initial, trained):
    torch.backends.cudnn.benchmark = True
    model = ResNet(RESNET50)
    unpack(model, initial)
    model = model.to(DEVICE).to(memory_format=torch.channels_last).train()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=rate, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY, foreach=True
    )
    padded = torch.nn.functional.pad(records[:, 1:].reshape(-1, 3, 32, 32), [PADDING] * 4)
    scale = torch.tensor(DEVIATION).view(3, 1, 1).reciprocal()
    shift = torch.tensor(MEAN).view(3, 1, 1)
    for entries in plan:
        images = []
        for sample, dy, dx, flip in entries.tolist():
            picture = padded[sample, :, dy : dy + 32, dx : dx + 32]
            images.append(picture.flip(2) if flip else picture)
        inputs = (torch.stack(images).float() - shift) * scale
        inputs = inputs.to(DEVICE, memory_format=torch.channels_last)
        targets = records[entries[:, 0], 0].to(DEVICE, torch.int64)
        model.zero_grad(set_to_none=True)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            scores = model(inputs)
        cross_entropy(scores.float(), targets).backward()
        optimizer.step()
    pack(model.cpu(), trained)


### END SOLUTION
