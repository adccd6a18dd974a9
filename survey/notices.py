"""What participants are told of AI tools and of the recording of how they write, in the language of
a definition: on the information page, with the instructions, and beside free-text questions.
"""

from django.utils.translation import gettext as _
from django.utils.translation import override

from survey.definition import StudyDefinition


def ai_policy(definition: StudyDefinition) -> str:
    """The policy on AI in Markdown: the study's own, or the default; empty if it has none."""
    own = definition.texts.ai_policy
    if own is not True:
        return own or ""
    with override(definition.language):
        return _(
            "Please answer yourself and in your own words. Do not use AI tools, such as chatbots, "
            "and do not paste text that somebody else wrote. Spelling correction and dictation "
            "are fine."
        )


def writing_notice(definition: StudyDefinition) -> str:
    """What is recorded while somebody writes; empty if nothing is."""
    if not definition.record_writing:
        return ""
    with override(definition.language):
        return _(
            "While you write an answer in your own words, the page counts keystrokes and the "
            "characters that you type, delete, paste or drop. It also measures how long you write, "
            "and how often and for how long you leave the page. It does not record which keys you "
            "press or what you paste. The counts are stored with your answer. They never decide on "
            "their own whether your submission is accepted."
        )
