"""What tables say in words, and how numbers are written: findings, methods, limits, LaTeX. Pure."""
