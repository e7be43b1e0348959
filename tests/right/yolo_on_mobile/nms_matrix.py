"""The matrix of all overlaps at once in torch; classes are kept apart by shifting them far away."""


### BEGIN SOLUTION yolo_on_mobile.nms
def nms(path, floor, overlap, most):
    table = torch.from_numpy(np.load(path)).double()
    best, kinds = table[:, 5:].max(1)
    scores = best * table[:, 4]
    order = scores.argsort(descending=True)
    order = order[scores[order] > floor]
    center, size = table[order, :2], table[order, 2:4]
    corners = torch.cat((center - size / 2, center + size / 2), 1)
    scores, kinds = scores[order], kinds[order]
    low = torch.maximum(corners[:, None, :2], corners[None, :, :2])
    high = torch.minimum(corners[:, None, 2:], corners[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(2)
    areas = size.prod(1)
    over = shared / (areas[:, None] + areas[None] - shared) > overlap
    over &= kinds[:, None] == kinds[None]
    alive = torch.ones(len(order), dtype=torch.bool)
    for number in range(len(order)):
        if alive[number]:
            alive[number + 1 :] &= ~over[number, number + 1 :]
    found = torch.cat((corners, scores[:, None], kinds[:, None]), 1)[alive]
    return found[:most].tolist()


### END SOLUTION
