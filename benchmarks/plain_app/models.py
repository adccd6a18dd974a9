"""The tables of a survey written for one study."""
# ruff: noqa: DJ008  # nothing prints these rows

from typing import ClassVar, Self

from django.db import models


class Row(models.Model):
    """Names the manager for mypy, whose Django plugin knows the product's tables alone."""

    objects: ClassVar[models.Manager[Self]]

    class Meta:
        abstract = True


class Block(Row):
    responses: models.QuerySet["Response"]
    prompt = models.TextField()


class Response(Row):
    block = models.ForeignKey(Block, models.CASCADE, related_name="responses")
    text = models.TextField()


class Participant(Row):
    person = models.CharField(max_length=200, unique=True)


class Presentation(Row):
    participant = models.ForeignKey(Participant, models.CASCADE)
    block = models.ForeignKey(Block, models.CASCADE)
    page = models.PositiveIntegerField()
    response_order = models.JSONField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "page"], name="plain_page")]


class Rating(Row):
    presentation = models.ForeignKey(Presentation, models.CASCADE)
    response = models.ForeignKey(Response, models.CASCADE)
    value = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["presentation", "response"], name="plain_rating_once")
        ]
