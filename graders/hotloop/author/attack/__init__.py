"""The rate at which programs that look for holes in the judge find one.

An attacker is a program in any language. It reads a JSON line from its standard input for each
attempt (`messages.Attack`: the task, the files that a learner starts from, a right answer, where
the judge's source is, and the verdict on its last attempt) and writes one to its standard output
(`messages.Answer`: files to hand in, why they should earn what they do not deserve, and which
checks they pass rightly). Whatever it hands in is judged as any submission is, in the sandbox
(`loop.py`). The program itself is the user's own and is not confined.

Files are wrong or slow by construction: the attacker names the checks that its files pass rightly.
Every other point that the judge gives, and every check that it leaves open and does not leave open
for the right answer, is a claim (`claims.py`). A person reads each claim in the log (`log.py`) and
adds a line that says whether it is a success; one that nobody has read counts as one (`rates.py`).
"""
