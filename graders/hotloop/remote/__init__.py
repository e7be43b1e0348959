"""Judging on another machine: source files go there, records come back.

What is asked is one JSON document (`request`), what is answered a JSON document a line. `ssh` asks
over ssh; `python -m hotloop.remote` answers, with nothing that runs there in between.
"""
