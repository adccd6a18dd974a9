"""Studies to begin with, and a local Prolific."""
