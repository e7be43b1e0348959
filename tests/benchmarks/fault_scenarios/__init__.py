"""Fault scenarios of the platform, each on a course of its own."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from staged.clone import Clone

from fault_scenarios import database, disk, killed, ray_worker
from fault_scenarios.course import Found

Scenario = Callable[[Clone, Path, argparse.Namespace], Found]

SCENARIOS: Mapping[str, Scenario] = {
    "killed": killed.run,
    "locked": database.locked,
    "disk_full": disk.run,
    "postgresql": database.restarted,
    "ray_worker": ray_worker.run,
}
