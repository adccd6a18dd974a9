"""Machine judges beside people: agreement, consistency, and what a gold score chooses. Pure."""
