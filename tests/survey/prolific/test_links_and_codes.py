"""What a study on Prolific is given: its link, and its codes with their actions."""

from survey.definition.settings import ENDINGS, Prolific
from survey.prolific.codes import RECOMMENDED, completion_codes
from survey.prolific.links import study_link, way_back

NAMES = {"participant": "PID", "study": "STUDY_ID", "session": "SESSION_ID"}


def test_link_has_the_placeholders_unescaped_under_the_studys_names() -> None:
    assert study_link("https://x.org/s/a/", NAMES) == (
        "https://x.org/s/a/?PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
        "&SESSION_ID={{%SESSION_ID%}}"
    )


def test_way_back_brings_the_code_whatever_the_address_has() -> None:
    assert way_back("https://p.org/c", "A B") == "https://p.org/c?cc=A+B"
    assert way_back("https://p.org/c?x=1", "A") == "https://p.org/c?x=1&cc=A"


def test_every_ending_has_a_recommendation_and_every_request_for_a_return_a_reason() -> None:
    assert set(RECOMMENDED) == set(ENDINGS)
    for one in RECOMMENDED.values():
        assert bool(one.return_reason) == (one.action == "REQUEST_RETURN")


def test_codes_come_with_their_actions_and_no_code_rejects() -> None:
    prolific = Prolific(completion_code="DONE22", declined_code="NONE22")
    done, declined = completion_codes(prolific, ENDINGS)
    assert (done["code"], done["actions"]) == ("DONE22", [{"action": "AUTOMATICALLY_APPROVE"}])
    assert declined["code_type"] == "NO_CONSENT"
    assert declined["actions"] == [
        {"action": "REQUEST_RETURN", "return_reason": "You did not consent to take part."}
    ]
    [reviewed, _] = completion_codes(prolific, ENDINGS, review_all=True)
    assert reviewed["actions"] == [{"action": "MANUALLY_REVIEW"}]
