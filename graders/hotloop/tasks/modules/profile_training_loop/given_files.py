"""The judge's programs for module profile_training_loop, and the learner's files they need."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.judge.checks.fast import Baseline

PROGRAMS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / "profile_training_loop"
NETWORK_FILE = {"resnet.py": GIVEN / "resnet.py"}
LOOP_FILES = {"slow_loop.py": GIVEN / "slow_loop.py", **NETWORK_FILE}
SLOW_LOOP = Baseline(GIVEN / "slow_loop.py", "train", beside=NETWORK_FILE)
SLOW_AUGMENT = Baseline(PROGRAMS / "slow_augment.py", "augment_batch", beside=LOOP_FILES)
AUGMENT_CHAIN = Baseline(PROGRAMS / "augment_chain.py", "augment")
