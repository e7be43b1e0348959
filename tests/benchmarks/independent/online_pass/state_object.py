import torch


class RunningSoftmax:
    """Keeps what has been seen of every row."""

    def __init__(self, rows, device):
        self.peak = torch.tensor(float("-inf"), device=device).repeat(rows)
        self.mass = torch.zeros(rows, device=device)

    def feed(self, piece):
        candidate = torch.max(self.peak, torch.max(piece, dim=1)[0])
        reference = self.finite(candidate)
        self.mass.mul_(torch.exp(self.peak - reference))
        self.mass.add_(torch.sum(torch.exp(piece - reference.unsqueeze(1)), dim=1))
        self.peak = candidate

    @staticmethod
    def finite(values):
        return torch.nan_to_num(values, neginf=0.0)

    def weights(self, piece):
        scaled = torch.exp(piece - self.finite(self.peak).unsqueeze(1))
        return scaled / self.mass.clamp(min=1e-30).unsqueeze(1)


def online_softmax(x, block=256):
    flat = x.reshape(-1, x.size(-1))
    state = RunningSoftmax(flat.size(0), x.device)
    pieces = torch.split(flat, block, dim=1)
    for piece in pieces:
        state.feed(piece.float())
    done = [state.weights(piece.float()) for piece in pieces]
    return torch.cat(done, dim=1).to(x.dtype).view(x.shape)
