"""A small vision-language model: an image encoder, a text decoder, and two losses.

The encoder cuts a picture into 16 patches and gives one vector for it. The text side makes a vector
of a caption without seeing the picture, and writes the caption word by word when it does see it.
The contrastive loss compares each picture of a batch with each caption of the batch: it is a
function of the whole batch, not a mean over samples. The caption loss is such a mean.
After CoCa (Yu et al. 2022, arXiv:2205.01917), made small: 21 thousand parameters.
"""

import torch
from torch import nn
from torch.nn import functional

WIDTH, PATCH, PATCHES, TOKENS, VOCABULARY = 32, 4, 16, 8, 16


class Block(nn.Module):
    """Attention and a two-layer network, each added to what it was given."""

    def __init__(self, causal):
        super().__init__()
        self.causal = causal
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        """[N, T, WIDTH] to the same."""
        query, key, value = self.qkv(self.norm(x)).chunk(3, -1)
        scores = query @ key.transpose(1, 2) / WIDTH**0.5
        if self.causal:
            later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(later, -1e9)
        x = x + self.out(scores.softmax(-1) @ value)
        return x + self.down(functional.gelu(self.up(x), approximate="tanh"))


class VisionLanguage(nn.Module):
    """Both towers. Called, it gives the loss of a batch."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Linear(3 * PATCH * PATCH, WIDTH)
        self.patch_place = nn.Parameter(0.02 * torch.randn(PATCHES, WIDTH))
        self.see = Block(causal=False)
        self.word = nn.Embedding(VOCABULARY, WIDTH)
        self.word_place = nn.Parameter(0.02 * torch.randn(TOKENS, WIDTH))
        self.text = nn.Linear(WIDTH, WIDTH)
        self.write = Block(causal=True)
        self.head = nn.Linear(WIDTH, VOCABULARY)
        self.log_scale = nn.Parameter(torch.ones(1))

    def forward(self, pictures, captions):
        """The loss of a whole batch: pictures [N, 3, 16, 16], captions [N, 8]."""
        seen, read, caption_loss = self.parts(pictures, captions)
        return self.contrastive(seen, read) + caption_loss

    def parts(self, pictures, captions):
        """Unit vectors of pictures and of captions, [N, WIDTH] each, and the mean caption loss."""
        image = self.see(self.patch(patches(pictures)) + self.patch_place).mean(1)
        tokens = self.word(captions) + self.word_place
        read = functional.normalize(self.text(tokens.mean(1)), dim=-1)
        logits = self.head(self.write(tokens + image[:, None]))[:, :-1]
        caption_loss = functional.cross_entropy(logits.flatten(0, 1), captions[:, 1:].flatten())
        return functional.normalize(image, dim=-1), read, caption_loss

    def contrastive(self, seen, read):
        """How badly each picture finds its caption among all of the batch, and the reverse."""
        similar = self.log_scale.exp() * seen @ read.T
        right = torch.arange(len(seen), device=seen.device)
        return (
            functional.cross_entropy(similar, right) + functional.cross_entropy(similar.T, right)
        ) / 2


def patches(pictures):
    """[N, 3, 16, 16] to [N, 16, 48]: the patches in reading order, each flattened."""
    cut = pictures.unfold(2, PATCH, PATCH).unfold(3, PATCH, PATCH)
    return cut.permute(0, 2, 3, 1, 4, 5).reshape(len(pictures), PATCHES, -1)


def made(seed):
    """The model as it begins, from a seed; torch's own generator stays as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return VisionLanguage()
