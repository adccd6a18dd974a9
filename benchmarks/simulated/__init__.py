"""Studies that benchmarks simulate."""
