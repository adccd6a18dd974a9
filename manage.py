#!/usr/bin/env python
"""Fivefold's command line: `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # what is missing, without a traceback
        sys.exit(str(error))


if __name__ == "__main__":
    main()
