"""`python -m hotloop.cli`, if the `hotloop` script is not on the path."""

from hotloop.cli import main

main()
