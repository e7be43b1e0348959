"""ONNX models in tasks: made, read, rewritten and run by programs in workers, without the judge.

`trusted/` holds those programs; they import each other by their files' names. The modules beside it
are the judge's side: which program to ask, and what to say about its answers.
"""
