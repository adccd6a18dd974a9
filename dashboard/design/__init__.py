"""Design: what participants see, and in which order."""
