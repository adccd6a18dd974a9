"""Checking what a page sent.

Plain functions instead of Django forms: a block page has a few dozen inputs whose names come from
the study, and rendering them as widgets would take most of the time of a page.
"""
