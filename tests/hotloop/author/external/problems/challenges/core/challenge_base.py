class RandnTensor:
    def __init__(self, shape, mean=0.0, std=1.0, dtype="float32"):
        self.shape, self.mean, self.std, self.dtype = tuple(shape), mean, std, dtype


class OutTensor:
    def __init__(self, shape, dtype="float32"):
        self.shape, self.dtype = tuple(shape), dtype


class ChallengeBase:
    def __init__(self, device="cuda"):
        self.device = device
