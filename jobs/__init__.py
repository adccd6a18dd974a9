"""Work that waits for a worker: its rows, its lease, and what does it."""
