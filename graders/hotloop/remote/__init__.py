"""Judging on another machine: it receives the source files and returns records.

The request is one JSON document (`request`); the answer is one JSON document per line. `ssh` sends
requests over ssh; `python -m hotloop.remote` answers them and needs no service to run there.
"""
