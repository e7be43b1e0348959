#!/bin/sh
# What Harbor's `oracle` agent runs.
set -eu
cp -R "$(dirname "$0")/files/." "${HOTLOOP_WORK:-/app}/"
