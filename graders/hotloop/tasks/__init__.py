"""Tasks: what is asked, how it is judged, and the judging of a folder on this machine.

`problem` and `curriculum` are module.yaml as typed objects; `render` makes exercises from
solutions, of which `markers`, `patches` and `variants` know parts. `modules` holds the graders of
each module, written with `authoring`; `own_problem` reads those of a folder outside of the package.
`task_spec` is what of all that the judge is told, and `local_judging` has a folder judged.
"""
