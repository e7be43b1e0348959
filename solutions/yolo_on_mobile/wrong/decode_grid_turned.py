"""Takes a cell's row for its column: right on the diagonal only.

fails: decode.table
"""


### BEGIN SOLUTION yolo_on_mobile.decode
def decode(small, middle, large, anchors):
    parts = []
    for raw, stride, sizes in zip((small, middle, large), STRIDES, anchors, strict=True):
        n, channels, rows, columns = raw.shape
        cells = raw.view(n, 3, channels // 3, rows, columns).permute(0, 1, 3, 4, 2).sigmoid()
        down, right = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        grid = torch.stack((down, right), 2).to(raw.dtype)
        center = (2 * cells[..., 0:2] - 0.5 + grid) * stride
        size = (2 * cells[..., 2:4]) ** 2 * sizes.view(1, 3, 1, 1, 2)
        table = torch.cat((center, size, cells[..., 4:]), 4)
        parts.append(table.reshape(n, 3 * rows * columns, -1))
    return torch.cat(parts, 1)


### END SOLUTION
