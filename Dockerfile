FROM python:3.11.16-slim-bookworm

# Pingouin loads Matplotlib, which writes what fonts there are; its user has no home to write to.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/var/lib/fivefold \
    MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
# `manage.py backup` needs pg_dump of the version in docker-compose.yml, which Debian does not have.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates postgresql-common \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/*

COPY . .
# Of the data folder only packages, corpora and backups outlive the container, in volumes: answers
# are in PostgreSQL, the static files are part of the image. Our files may come from a checkout that only its owner can read.
RUN useradd --system fivefold \
    && chmod --recursive a+rX . \
    && install --directory --owner fivefold $DATA_DIR \
    && install --directory --owner fivefold --mode 700 $DATA_DIR/packages $DATA_DIR/corpora \
        $DATA_DIR/backups \
    && SECRET_KEY=unused python manage.py collectstatic --no-input \
    && chown --recursive fivefold $DATA_DIR
USER fivefold
EXPOSE 8000
