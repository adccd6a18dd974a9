"""How benchmarks say what they measured, and how `make bench` writes it into README.md."""
