"""A zygote: imports a program's modules once and forks one confined child per request.

It runs in a sandbox that contains only what all sandboxes contain. It never runs foreign code and
never reads a request: the forked child does, so that no child's memory contains data of an earlier
request. The child creates its own namespaces, builds its own root file system, drops all privileges
and runs the program without an exec.
"""
