"""Responses as raters see them: what a model wrote, and not a character less."""
