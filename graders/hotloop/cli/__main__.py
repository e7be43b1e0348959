"""`python -m hotloop.cli`, for where the `hotloop` script is not on the path."""

from hotloop.cli import main

main()
