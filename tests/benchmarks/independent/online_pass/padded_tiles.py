import torch
import torch.nn.functional as F


def online_softmax(x, block=256):
    columns = x.shape[-1]
    missing = -columns % block
    values = F.pad(x.reshape(-1, columns).float(), (0, missing), value=float("-inf"))
    tiled = values.view(values.shape[0], -1, block)

    running_max = values.new_full((values.shape[0],), float("-inf"))
    running_sum = values.new_zeros(values.shape[0])
    for index in range(tiled.shape[1]):
        tile = tiled[:, index]
        previous, running_max = running_max, torch.maximum(running_max, tile.amax(dim=1))
        offset = running_max.clone()
        offset[offset == float("-inf")] = 0.0
        running_sum *= torch.exp(previous - offset)
        running_sum += torch.exp(tile - offset[:, None]) @ torch.ones(block)

    offset = running_max.clone()
    offset[offset == float("-inf")] = 0.0
    running_sum[running_sum == 0.0] = 1.0
    result = torch.exp(values[:, :columns] - offset[:, None]) / running_sum[:, None]
    return result.to(x.dtype).reshape(x.shape)
