"""With the whole-batch augmentation of another task, and updates by torch._foreach functions."""


### BEGIN SOLUTION profile_training_loop.train_resnet50
def train_resnet50(records, plan, rate, initial, trained):
    from training import augment

    images = records[:, 1:].view(-1, 3, 32, 32).permute(0, 2, 3, 1).contiguous().to(DEVICE)
    labels = records[:, 0].to(DEVICE, torch.long)
    model = ResNet(RESNET50).to(DEVICE)
    unpack(model, initial)
    model.train()
    parameters = list(model.parameters())
    velocity = None
    inputs = torch.empty(plan.shape[1], 3, 32, 32, device=DEVICE)
    for entries in plan.to(DEVICE):
        augment(images, entries, inputs)
        loss = torch.nn.functional.nll_loss(model(inputs).log_softmax(1), labels[entries[:, 0]])
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            gradients = torch._foreach_add(gradients, parameters, alpha=WEIGHT_DECAY)
            if velocity is None:
                velocity = gradients
            else:
                torch._foreach_mul_(velocity, MOMENTUM)
                torch._foreach_add_(velocity, gradients)
            torch._foreach_add_(parameters, velocity, alpha=-rate)
    pack(model, trained)


### END SOLUTION
