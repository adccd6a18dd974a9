"""Corpora, samples and generated texts: what `manage.py corpus` does, on pages, by workers."""
