"""What the rooms have in common: access, pages, stored tables."""
