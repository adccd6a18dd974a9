FROM python:3.11.16-slim-bookworm

# Pingouin loads Matplotlib, which writes what fonts there are; its user has no home to write to.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/var/lib/fivefold \
    MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt

COPY . .
# Of the data folder only prepared downloads outlive the container, in a volume: answers are in
# PostgreSQL, the static files are part of the image. Our files may come from a checkout that only its owner can read.
RUN useradd --system fivefold \
    && chmod --recursive a+rX . \
    && install --directory --owner fivefold $DATA_DIR \
    && install --directory --owner fivefold --mode 700 $DATA_DIR/packages $DATA_DIR/corpora \
    && SECRET_KEY=unused python manage.py collectstatic --no-input \
    && chown --recursive fivefold $DATA_DIR
USER fivefold
EXPOSE 8000
