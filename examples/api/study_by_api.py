# %% [markdown]
# # A whole study by API
#
# A study from its draft on Prolific to its tables, with nothing but HTTP requests. It is played
# here on a local Prolific, which pays nobody, by simulated people. Start both in Fivefold's folder:
#
#     make run PROLIFIC=local
#
# Log in on the site. *API tokens* makes a token that may read and change. Then, in another shell in
# the same folder:
#
#     export FIVEFOLD_TOKEN=fivefold_…
#     .venv/bin/python examples/api/study_by_api.py
#
# `study_by_api.ipynb` is the same as a notebook: start Jupyter in that shell, or enter the token
# when the first cell asks for it. Every route, what it takes and what it answers, is at
# `/api/docs/` of your site.

# %%
import csv
import io
import json
import os
import subprocess
import time
import zipfile
from getpass import getpass
from pathlib import Path
from typing import Any

import requests

SITE = os.environ.get("FIVEFOLD_SITE", "http://localhost:8000")
TOKEN = os.environ.get("FIVEFOLD_TOKEN") or getpass("API token: ")
#: A study that `manage.py load_study` has loaded, and in which you are owner.
STUDY = os.environ.get("STUDY", "empathy")
#: Of the local Prolific. For the real one: a token from Settings › API tokens there.
PROLIFIC_TOKEN = os.environ.get("PROLIFIC_TOKEN", "local-prolific-token")
PLACES = int(os.environ.get("PLACES", "10"))
#: Simulated people never count unless they are asked for by name. For real people: {}.
PEOPLE = {"include": "simulated"}
#: Fivefold's folder: this one or, as Jupyter works in the folder of the notebook, one above it.
HERE = Path.cwd()
FIVEFOLD = next((each for each in (HERE, *HERE.parents) if (each / "manage.py").exists()), HERE)
#: Where the results go.
OUT = Path(os.environ.get("OUT", "by-api"))

# %% [markdown]
# ## Asking
#
# The token goes with every request. If a request is refused, the answer says why and nothing has
# changed. After too many requests in a minute (429), the answer says how many seconds to wait.

# %%
api = requests.Session()
api.headers["Authorization"] = f"Token {TOKEN}"


def ask(method: str, path: str, **sent: Any) -> requests.Response:
    """The answer to a request; `path` begins after `/api/`."""
    answer = api.request(method, f"{SITE}/api/{path}", timeout=60, **sent)
    if answer.status_code == 429:
        time.sleep(int(answer.headers["Retry-After"]))
        return ask(method, path, **sent)
    if not answer.ok:
        raise SystemExit(f"{method} {path}: {answer.status_code} {answer.text}")
    return answer


def of_study(method: str, path: str, **sent: Any) -> Any:
    """The same of our study, as JSON."""
    return ask(method, f"studies/{STUDY}/{path}", **sent).json()


def results_of(path: str) -> Any:
    """Results of the people whom we want in the analysis."""
    return of_study("GET", path, params=PEOPLE)


study = of_study("GET", "")
print(f"{study['name']}, “{study['title']}”: {study['state']}")

# %% [markdown]
# ## Before it opens
#
# The checklist has what Fivefold finds in the study: texts with placeholders, codes that are easy
# to guess, what Prolific does not allow. With findings to refuse, a study can only be rehearsed.

# %%
checklist = of_study("GET", "checklist/")
for finding in checklist["findings"]:
    if finding["state"] != "ok":
        print(f"{finding['state']}: {finding['text']}")
print("It may open." if checklist["may_open"] else "It may only be rehearsed.")

# %% [markdown]
# In a rehearsal nobody counts, so this is the state for simulated people. For a real study, leave
# `rehearsal` out. What participants are promised is what payments are proposed by: here a bonus for
# everyone who completes.

# %%
if study["state"] != "open":
    of_study("POST", "state/", json={"state": "open", "rehearsal": True})
terms = of_study("GET", "payments/terms/")
of_study("PUT", "payments/terms/", json=terms | {"completed_bonus_cents": 50})

# %% [markdown]
# ## On Prolific
#
# Fivefold takes every step on Prolific with your token, which it stores encrypted. The draft begins
# with what the study says; the reward is your decision. A draft costs nothing.

# %%
ask("PUT", "account/prolific/", json={"token": PROLIFIC_TOKEN})
draft = of_study("GET", "prolific/draft/")
if not draft.pop("is_on_prolific"):
    # Prolific's minimum is £6 an hour: this is £9. `all` waits for your review before it pays.
    draft |= {"places": PLACES, "reward_cents": 15 * draft["minutes"], "review": "all"}
    print(of_study("POST", "prolific/draft/", json=draft)["said"])

# %% [markdown]
# Publishing spends money, so it takes the cost as a check: if Prolific asks for another one by
# then, nothing is published.

# %%
there = of_study("GET", "prolific/")
for reason in there["against_publishing"]:
    print(f"Not yet: {reason}")
cost = there["money"]["cost_cents"]
published = of_study("POST", "prolific/publish/", json={"cost_cents": cost})
print(f"{published['said']} It costs {cost / 100:.2f} {there['money']['currency']}.")

# %% [markdown]
# ## People
#
# Simulated people take places on the local Prolific, come by its links, and enter their codes
# there. With real people there is nothing to run, only time to pass: go on when they have finished.

# %%
if PEOPLE:
    sent = subprocess.run(
        [
            *(".venv/bin/python", "manage.py", "simulate", STUDY, "--from-prolific"),
            *("--participants", str(PLACES), "--seed", "9"),
        ],
        cwd=FIVEFOLD,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    print(sent.stdout)
    sent.check_returncode()
for source in of_study("GET", "counts/")["sources"]:
    print(f"{source['source']}: {source['arrived']} arrived, {source['completed']} completed")

# %% [markdown]
# ## Who is paid what
#
# First the submissions as Prolific has them, each beside its person here. What does not match has a
# name, such as `wrong_code`.

# %%
read = of_study("POST", "prolific/submissions/")
print(f"{read['submissions']} submissions on Prolific")
for case in of_study("GET", "submissions/", params={"mismatch": "any"})["results"]:
    print(f"{case['participant'] or 'nobody'}: {case['status']}, {', '.join(case['mismatches'])}")

# %% [markdown]
# Rules propose what to do about each submission. Look at the proposals: nothing happens before you
# confirm them. `is_chosen` are those that the page has ticked.

# %%
proposals, path = [], f"{SITE}/api/studies/{STUDY}/payments/proposals/"
while path:
    page = ask("GET", path.removeprefix(f"{SITE}/api/")).json()
    proposals += page["results"]
    path = page["next"]
for one in proposals:
    mark = "x" if one["is_chosen"] else " "
    print(f"[{mark}] {one['kind']} {one['participant']}: {one['why']}")

# %% [markdown]
# Confirming takes the keys of the proposals, and the sum of their bonuses as a check. Then a worker
# pays, each submission once, however often it is asked.

# %%
chosen = [one for one in proposals if one["is_chosen"]]
if chosen:
    bonuses = sum(one["cents"] or 0 for one in chosen)
    confirmed = {"decisions": [one["key"] for one in chosen], "bonus_cents": bonuses}
    order = of_study("POST", "payments/", json=confirmed)
    while order["finished_at"] is None:
        if order["problem"]:
            print(order["problem"])
        time.sleep(1)
        order = of_study("GET", f"payments/{order['order']}/")
    print(f"Paid {order['paid_cents'] / 100:.2f} as bonuses: {json.dumps(order['counts'])}")

# %% [markdown]
# ## Analysis
#
# A worker analyses the data as they are now; if nothing has changed since, the answer is the
# analysis that is done.

# %%
run = of_study("POST", "analysis/", params=PEOPLE)
while run["state"] not in ("done", "failed"):
    time.sleep(1)
    run = of_study("GET", f"analyses/{run['id']}/")
print(f"Analysis {run['id']} is {run['state']} {run['error']}")

# %% [markdown]
# ## Tables, wins, figures
#
# Every table as the CSV that `manage.py analyze` writes, byte for byte. Why others are missing is
# in `absent`.

# %%
OUT.mkdir(parents=True, exist_ok=True)
tables = results_of("tables/")
for table in tables["tables"]:
    answer = ask("GET", f"studies/{STUDY}/tables/{table['table']}.csv", params=PEOPLE)
    (OUT / f"{table['table']}.csv").write_bytes(answer.content)
print(f"{len(tables['tables'])} tables in {OUT}/")
for name, why in tables["absent"].items():
    print(f"no {name}: {why}")

# %%
wins = results_of("wins/")
for row in wins["summary"]:
    print(f"{row['scenario']}: {row['a_wins']:g} against {row['b_wins']:g}, {row['ties']:g} ties")
if wins["absent"]:
    print(f"No wins: {wins['absent']}")

# %% [markdown]
# Figures are Plotly's JSON: `plotly.io.from_json` draws them in a notebook.

# %%
for figure in results_of("figures/")["figures"]:
    answer = ask("GET", f"studies/{STUDY}/figures/{figure['figure']}/", params=PEOPLE)
    (OUT / f"{figure['figure']}.json").write_bytes(answer.content)
    print(f"{figure['figure']}: {figure['title']}")

# %% [markdown]
# ## The cleaned ratings, and everything as one zip
#
# `ratings.csv` has the ratings of the included raters. `exports/` lists the other files.

# %%
answer = ask("GET", f"studies/{STUDY}/exports/ratings.csv", params=PEOPLE)
(OUT / "ratings.csv").write_bytes(answer.content)
ratings = list(csv.DictReader(io.StringIO(answer.content.decode())))
print(f"{len(ratings)} ratings by {len({row['participant'] for row in ratings})} raters")

# %% [markdown]
# The package has report, tables, figures and data without anything that identifies a person. With
# `images`, figures are also drawn as SVG and PNG, which takes a minute.

# %%
wanted = {"recipe": "both", "images": False}
package = of_study("POST", "packages/", params=PEOPLE, json=wanted)
while package["state"] not in ("done", "failed"):
    time.sleep(1)
    package = of_study("GET", f"packages/{package['id']}/")
answer = ask("GET", f"studies/{STUDY}/packages/{package['id']}/zip/")
(OUT / "package.zip").write_bytes(answer.content)
with zipfile.ZipFile(OUT / "package.zip") as packed:
    print(f"{len(packed.namelist())} files in {OUT}/package.zip")
