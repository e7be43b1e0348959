"""A model of a class's submissions on many machines, in simulated time."""
