"""The portal's routes, grouped by user."""
