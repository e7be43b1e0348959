"""Which byte each number comes from, as an index into flat images, and a table from bytes to floats."""


### BEGIN SOLUTION profile_training_loop.augment
def augment(images, entries, out):
    device = images.device
    codes = torch.arange(256, dtype=torch.float64, device=device)
    sample, dy, dx, flip = (column.view(-1, 1, 1) for column in entries.to(device).unbind(dim=1))
    i = torch.arange(32, device=device)
    y = i.view(1, 32, 1) + dy - PADDING
    x = torch.where(flip != 0, 31 - i.view(1, 1, 32), i.view(1, 1, 32)) + dx - PADDING
    inside = (y.clamp(0, 31) == y) & (x.clamp(0, 31) == x)
    place = torch.where(inside, (sample * 32 + y) * 32 + x, 0)
    flat = images.reshape(-1, 3)
    for channel, (mean, deviation) in enumerate(zip(MEAN, DEVIATION)):
        table = ((codes - mean) / deviation).float()
        out[:, channel] = table[flat[:, channel][place].long() * inside]


### END SOLUTION
