"""Participants' pages: one address per page, POST-redirect-GET, plain HTML that needs no script."""
