"""What is asked of the service, by what it is about."""
