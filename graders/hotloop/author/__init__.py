"""For those who write modules and problems.

Recorded runs of references (`evidence`), the levels that follow from them by device
(`device_levels`), attacks on the judge (`exploits`), programs that look for new ones (`attack`) and
the demonstration that grades some (`demo`), a module to start from (`new_module`), problems of
public sets (`external`), tasks for a harness that trains models (`harbor`), whether a GPU's speed
can be judged (`selftest`), minutes on a GPU as recorded runs (`lease`), and, for maintainers, a
release of the clone (`release`).
"""
