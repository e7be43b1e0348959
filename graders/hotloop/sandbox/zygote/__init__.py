"""Confined processes forked from a process that has already imported their modules.

`Zygote.launch` is equivalent to `hotloop.sandbox.launch.launch` but takes only tens of
milliseconds, because Python is already started and the modules are imported. hotloop.worker.zygote
runs inside.
"""
