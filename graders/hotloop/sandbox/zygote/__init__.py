"""Confined processes forked from one that has already imported what they need.

`Zygote.launch` means what `hotloop.sandbox.launch.launch` means, and costs tens of milliseconds
where that pays for starting Python and importing. hotloop.worker.zygote is what runs inside.
"""
