"""The version of Fivefold. Pages, files, texts, API and commands have it from here; CHANGELOG.md
and CITATION.cff repeat it, and a test compares them.
"""

VERSION = "0.9.0"
