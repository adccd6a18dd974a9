"""Participants' pages: one address a page, POST-redirect-GET, plain HTML that needs no script."""
