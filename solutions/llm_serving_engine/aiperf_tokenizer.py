"""Writes a tokenizer with one character a token, so that AIPerf counts as the small decoder does.

python aiperf_tokenizer.py           # makes the folder aiperf_tokenizer/
"""

import json
from pathlib import Path

from model import CHARACTERS

FOLDER = Path("aiperf_tokenizer")

TOKENIZER = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {
        "type": "Split",
        "pattern": {"Regex": "[\\s\\S]"},
        "behavior": "Isolated",
        "invert": False,
    },
    "post_processor": None,
    "decoder": {"type": "Fuse"},
    "model": {
        "type": "WordLevel",
        "vocab": {character: token for token, character in enumerate(CHARACTERS)},
        "unk_token": " ",
    },
}
SETTINGS = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "\n", "unk_token": " "}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    # transformers reads the model's type before it looks at the tokenizer.
    for name, content in (
        ("tokenizer", TOKENIZER),
        ("tokenizer_config", SETTINGS),
        ("config", {"model_type": "gpt2"}),
    ):
        (FOLDER / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
