#!/bin/sh
# Judges $HOTLOOP_WORK (/app) and writes $HOTLOOP_REWARD_DIR/reward.txt (/logs/verifier): the share
# of the points of the checks that the instruction lists. Where this machine could not judge one of
# them there is no reward, and the exit code is not 0: that is no answer of the model's.
set -eu
here=$(dirname "$(readlink -f "$0")")
reward=${HOTLOOP_REWARD_DIR:-/logs/verifier}
rm -f "$reward/reward.txt"
exec "${HOTLOOP_PYTHON:-python3}" -I "$here/judge.py" "${HOTLOOP_WORK:-/app}" "$reward"
