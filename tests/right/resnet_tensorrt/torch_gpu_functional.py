"""The network as it is, in channels_last, with preprocessing by torch.addcmul and a table of networks."""


### BEGIN SOLUTION resnet_tensorrt.torch_gpu
NETWORKS = {}


def made(seed):
    if seed not in NETWORKS:
        NETWORKS[seed] = network(seed).to(DEVICE, memory_format=torch.channels_last)
    return NETWORKS[seed]


@torch.inference_mode()
def logits(seed, frames, out):
    batch = frames.to(DEVICE, torch.float32)[..., [2, 1, 0]].movedim(-1, 1)
    parts = [made(seed)(part.div(127.5).sub(1)) for part in batch.split(16)]
    torch.cat(parts, out=out) if DEVICE == "cpu" else out.copy_(torch.cat(parts))


### END SOLUTION
