# %% [markdown]
# # A whole study by API
#
# From the files of a study to its tables: recruiting, paying and analysing, with nothing but HTTP
# requests. The same as a script (`study_by_api.py`) and as a notebook (`study_by_api.ipynb`).
#
# It is played on a local Prolific, which pays nobody. In a shell:
#
#     make run PROLIFIC=local
#
# It prints the site's address, your login, and the token of the local Prolific. On the site, *API
# tokens* makes a token that may read and change. Then, in another shell:
#
#     export FIVEFOLD_TOKEN=fivefold_…
#     .venv/bin/python examples/api/study_by_api.py
#
# With a real study, `SITE` is your server, `PROLIFIC_TOKEN` is yours, and people are not simulated.

# %%
import csv
import io
import os
import time
import zipfile
from pathlib import Path

import requests

SITE = os.environ.get("FIVEFOLD_SITE", "http://localhost:8000")
TOKEN = os.environ["FIVEFOLD_TOKEN"]
PROLIFIC_TOKEN = os.environ.get("PROLIFIC_TOKEN", "local-prolific-token")
#: study.yaml and responses.csv; nothing for a study that is loaded.
FOLDER = os.environ.get("STUDY_FOLDER", "examples/empathy")
STUDY = os.environ.get("STUDY", "empathy")
PLACES = int(os.environ.get("PLACES", "10"))
OUT = Path(os.environ.get("OUT", "by-api"))
#: Simulated people never count unless they are asked for by name. With real people: {}.
WHO = {"include": "simulated"}

# %% [markdown]
# ## Requests
#
# Every request has the token. What is refused says why, in one line: that is worth printing.
