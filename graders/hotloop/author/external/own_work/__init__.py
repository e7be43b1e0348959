"""Whether the work of a submission is in kernels of its own; see site/pages/any-problem.md.

`source` reads the text, `kernels` finds kernels in it, `signs` what speaks against it (`library`,
`surroundings`, `inputs`), `ran` what a
run of it shows, and `check` rules. The text and the launches' replay are out of the submission's
reach; what is recorded in its process is evidence about honest code only.
"""
