"""The tables of a survey written for one study."""
# ruff: noqa: DJ008  # nothing prints these rows

from django.db import models


class Block(models.Model):
    prompt = models.TextField()


class Response(models.Model):
    block = models.ForeignKey(Block, models.CASCADE, related_name="responses")
    text = models.TextField()


class Participant(models.Model):
    person = models.CharField(max_length=200, unique=True)


class Presentation(models.Model):
    participant = models.ForeignKey(Participant, models.CASCADE)
    block = models.ForeignKey(Block, models.CASCADE)
    page = models.PositiveIntegerField()
    response_order = models.JSONField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "page"], name="plain_page")]


class Rating(models.Model):
    presentation = models.ForeignKey(Presentation, models.CASCADE)
    response = models.ForeignKey(Response, models.CASCADE)
    value = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["presentation", "response"], name="plain_rating_once")
        ]
