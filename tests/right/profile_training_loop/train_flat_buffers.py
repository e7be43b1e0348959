"""One buffer of all parameters, and all inputs before the loop."""


### BEGIN SOLUTION profile_training_loop.train
class FlatSGD:
    def __init__(self, model, rate):
        parameters = list(model.parameters())
        total = sum(p.numel() for p in parameters)
        self.weights = torch.empty(total, device=DEVICE)
        self.gradients = torch.zeros(total, device=DEVICE)
        self.velocity, self.rate = None, rate
        pieces = [p.numel() for p in parameters]
        slots = zip(parameters, self.weights.split(pieces), self.gradients.split(pieces))
        with torch.no_grad():
            for p, weight, gradient in slots:
                weight.copy_(p.reshape(-1))
                p.data, p.grad = weight.view_as(p), gradient.view_as(p)

    @torch.no_grad()
    def step(self):
        change = self.gradients.add(self.weights, alpha=WEIGHT_DECAY)
        self.velocity = (
            change if self.velocity is None else self.velocity.mul_(MOMENTUM).add_(change)
        )
        self.weights.sub_(self.velocity, alpha=self.rate)
        self.gradients.zero_()


def train(images, labels, plan, rate, initial, trained):
    steps, batch, _ = plan.shape
    model = ResNet(size_for(DEVICE)).to(DEVICE)
    unpack(model, initial)
    model.train()
    sgd = FlatSGD(model, rate)
    entries = plan.reshape(-1, 4).to(DEVICE)
    inputs = torch.empty(steps * batch, 3, 32, 32, device=DEVICE)
    augment(images.to(DEVICE), entries, inputs)
    targets = labels.to(DEVICE)[entries[:, 0]]
    for x, y in zip(inputs.split(batch), targets.split(batch)):
        cross_entropy(model(x), y).backward()
        sgd.step()
    pack(model, trained)


### END SOLUTION
