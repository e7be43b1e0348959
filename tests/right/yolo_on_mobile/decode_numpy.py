"""In numpy with float64, reshaped and moved by moveaxis; back to a tensor at the end."""


### BEGIN SOLUTION yolo_on_mobile.decode
def decode(small, middle, large, anchors):
    def level(raw, stride, sizes):
        raw = raw.numpy().astype(np.float64)
        n, channels, rows, columns = raw.shape
        cells = np.moveaxis(raw.reshape(n, 3, channels // 3, rows, columns), 2, -1)
        cells = 1 / (1 + np.exp(-cells))
        row, column = np.mgrid[:rows, :columns]
        cells[..., 0] = (2 * cells[..., 0] - 0.5 + column) * stride
        cells[..., 1] = (2 * cells[..., 1] - 0.5 + row) * stride
        cells[..., 2:4] = (2 * cells[..., 2:4]) ** 2 * sizes[None, :, None, None]
        return cells.reshape(n, -1, channels // 3)

    maps = (small, middle, large)
    levels = [level(*each) for each in zip(maps, STRIDES, np.asarray(anchors, np.float64))]
    return torch.from_numpy(np.concatenate(levels, 1).astype(np.float32))


### END SOLUTION
