"""The portal's addresses, by who asks for what."""
