"""A loop over strides and anchors, each a table of its own, written into one result."""


### BEGIN SOLUTION yolo_on_mobile.decode
def decode(small, middle, large, anchors):
    maps = dict(zip(STRIDES, (small, middle, large)))
    numbers = small.shape[1] // 3
    boxes = sum(3 * raw.shape[2] * raw.shape[3] for raw in maps.values())
    table = torch.empty(len(small), boxes, numbers)
    start = 0
    for level, (stride, raw) in enumerate(maps.items()):
        rows, columns = raw.shape[-2:]
        x = torch.arange(columns).repeat(rows)
        y = torch.arange(rows).repeat_interleave(columns)
        for anchor in range(3):
            cells = raw[:, anchor * numbers : (anchor + 1) * numbers].flatten(2).mT.sigmoid()
            part = table[:, start : start + rows * columns]
            part[..., 0] = (2 * cells[..., 0] - 0.5 + x) * stride
            part[..., 1] = (2 * cells[..., 1] - 0.5 + y) * stride
            part[..., 2:4] = 4 * cells[..., 2:4].square() * anchors[level, anchor]
            part[..., 4:] = cells[..., 4:]
            start += rows * columns
    return table


### END SOLUTION
