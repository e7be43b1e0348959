"""Turns minutes on a lent GPU into recorded runs; a kill costs one piece of work at most.

`python -m hotloop.author.lease --seconds N` orders what this device has no run of with the present
code (`pieces.py`), runs each piece in a process with a time limit (`lease.py`, `piece.py`), writes
run files and a journal after each (`journal.py`), and packs what is new (`archive.py`). With
`--plan` it only says what it would do, and which wheels that needs (`wheels.py`).
"""
