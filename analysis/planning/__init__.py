"""How many raters and scenarios a study needs, and what they cost. Pure."""
