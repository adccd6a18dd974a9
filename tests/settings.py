"""The product's settings, with what makes tests quick and keeps them away from real things."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_data = tempfile.mkdtemp(prefix="fivefold-test-")
_owner = os.getpid()
os.environ.update(
    DATA_DIR=_data,  # one for each process of pytest: never the ./data of an installation
    SECRET_KEY="for tests only",
    JUDGE_API_KEY="",  # no test ever spends money, whatever .env holds
    JUDGE_BASE_URL="http://127.0.0.1:9/v1",
    EMAIL_HOST="",  # nor sends e-mail
    PROLIFIC_URL="https://api.prolific.com/api/v1",  # no account is connected: nobody asks it
    SITE_URL="http://localhost:8000",
    API_REQUESTS_PER_MINUTE="1000000",  # all tests together are one researcher
)


@atexit.register
def _remove_data() -> None:
    if os.getpid() == _owner:  # a forked child must not remove its parent's
        shutil.rmtree(_data, ignore_errors=True)


from config.settings import *  # noqa: E402, F403  the environment has to be set first
from config.settings import DATABASES, STATIC_ROOT, STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_ROOT.mkdir()
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# A test database can be dropped only when no thread of a live server keeps a connection.
DATABASES["default"]["CONN_MAX_AGE"] = 0
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, as in the product: in memory, threads would share one connection.
    DATABASES["default"]["TEST"] = {"NAME": str(Path(_data) / "test.sqlite3")}
    # No power cut matters to it, so no commit waits for the disk.
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
