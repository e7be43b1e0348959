"""The learner's side: the notebook, questions and predictions, and judging elsewhere.

`notebook` is `check("module.task")` in JupyterLab; `bank` holds the interview questions, which
`practice` asks and schedules; `predicting` asks what `mutation` does to one's own code; `learning`
is one's progress; `repro` makes a program of a failed check. `remote` is the client of a judging
service, `pack` a take-home's folder, and `doctor` says what this machine lacks.
"""
