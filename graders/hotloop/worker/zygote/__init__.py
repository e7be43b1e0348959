"""A process that has imported what a program needs and forks one confined child a request.

It runs inside a sandbox that shows what every sandbox shows. It never runs foreign code itself and
never reads a request: a child that it forks does, so that nothing of one child's request is in the
memory of the next. The child makes namespaces of its own, builds a root of its own, gives up every
right and runs the program without executing anything anew.
"""
