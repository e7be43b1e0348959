"""What can be wrong with a notebook that was handed in, by the level that it is wrong at."""
