"""What in a study's files speaks against opening it: reasons to refuse, and what to look at."""

from dataclasses import replace
from typing import Any

import pytest

from survey.definition import ResponseRow, StudyDefinition
from survey.definition.codes import with_codes, with_new_codes
from survey.definition.findings import StudyFinding
from survey.definition.opening import Circumstances, against_opening
from survey.definition.settings import Settings
from survey.definition.visible import visible_texts
from tests.survey import small_study

PUBLIC = Circumstances(site="https://ratings.lakeside.edu")


def study(text: str = small_study.YAML, **texts: str) -> StudyDefinition:
    plain = small_study.definition(text).model_dump(mode="json")
    plain["texts"] |= texts
    return StudyDefinition.model_validate(plain)


def settings(ways_in: str = "prolific", **prolific: Any) -> Settings:
    codes = {"completion_code": "K7PQ2XWM", "declined_code": "B3HNR8TD"}
    given = {"ways_in": [ways_in], "prolific": codes | prolific}
    return Settings.model_validate(given)


def found(
    definition: StudyDefinition,
    chosen: Settings | None = None,
    circumstances: Circumstances = PUBLIC,
    rows: list[ResponseRow] | None = None,
    **more: Any,
) -> list[StudyFinding]:
    return against_opening(
        definition,
        chosen or settings(),
        rows=small_study.rows() if rows is None else rows,
        circumstances=circumstances,
        **more,
    )


def refused(*args: Any, **more: Any) -> list[str]:
    return [str(finding) for finding in found(*args, **more) if finding.state == "refuse"]


def named(rule: str, *args: Any, **more: Any) -> list[str]:
    return [finding.text for finding in found(*args, **more) if finding.rule == rule]


def test_nothing_refuses_a_study_that_is_filled_in() -> None:
    assert refused(study()) == []
    assert {finding.state for finding in found(study())} == {"change"}


# ── Placeholders ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "placeholder",
    [
        "Example University",
        "示例大学",
        "0000-000",
        "example.org",
        "Example.com",
        "[…]",
        "[...]",
        "[your institution]",
        "[insert the approval number]",
        "{{university}}",
        "TODO",
        "TBD",
        "XXX",
        "Lorem ipsum",
    ],
)
def test_text_with_a_placeholder_is_refused(placeholder: str) -> None:
    (said,) = refused(study(information=f"Run by us ({placeholder}), and approved."))
    what = f"“{placeholder}”. Replace it with your study's own text."
    assert said == f"Placeholder: texts.information: {what}"


def test_placeholder_is_found_beside_letters_without_case() -> None:
    (said,) = refused(study(information="由TODO开展，见example.org。"))
    assert said.startswith("Placeholder: texts.information: “example.org” and “TODO”.")


@pytest.mark.parametrize(
    "text",
    [
        "Take, for example, university students, or an example of your own.",
        "Approval number 2026-0007; call +1 800 000-1234, or 555-0000.",
        "Write to research@lakeside.edu or see https://lakeside.edu/examples.org-chart.",
        "[Our lab](https://lakeside.edu) and [your rights](https://lakeside.edu/rights)",
        "We look at a list of things to do, and at sizes from XS to XXL.",
        "The code of conduct is a test of [trust] in year 2000.",
        "研究由湖畔大学开展，例如：大学生。",
    ],
)
def test_legitimate_text_is_not_taken_for_a_placeholder(text: str) -> None:
    assert refused(study(information=text)) == []


def test_placeholders_are_looked_for_in_everything_that_people_read_in_every_language() -> None:
    definition = study(small_study.YAML.replace("How warm", "TODO how warm"))
    chinese = study(small_study.CHINESE, thanks="TODO")
    keys = [said.split(": ")[1] for said in refused(definition, translations=[chinese])]
    assert keys == ["tasks.0.dimensions.0.question.en", "texts.thanks.zh-hans"]


def test_what_is_chosen_from_a_few_words_is_no_text() -> None:
    yaml = small_study.YAML + "between_subjects: condition\nresponse_format: markdown\n"
    texts = dict(visible_texts(small_study.definition(yaml)))
    assert texts["title",] == "A small study"
    assert not {"between_subjects", "response_format", "order"} & {path[0] for path in texts}


def test_responses_may_hold_what_looks_like_a_placeholder() -> None:
    first, *rest = small_study.rows()
    assert refused(study(), rows=[replace(first, text="Dear [your name], TODO"), *rest]) == []


def test_what_people_have_read_already_is_looked_at_but_not_refused() -> None:
    definition = study(information="Run by Example University.")
    assert refused(definition, settings(completion_code="TEST1"), begun=True) == []
    assert len(named("Placeholder", definition, begun=True)) == 1


# ── Codes and addresses ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "code",
    [
        *("EMPATHY1", "tide0", "CODE", "Your-Code", "COMPLETION_CODE", "TEST", "test12"),
        *("ABC123", "1234", "AAAA", "changeme"),
    ],
)
def test_placeholder_of_a_code_is_refused(code: str) -> None:
    (said,) = refused(study(), settings(completion_code=code))
    assert said.startswith(f"Completion code: prolific.completion_code: “{code}” is a placeholder")
    assert "Remove all codes to get random ones" in said
    assert refused(study(), settings("link", completion_code=code)) == []


@pytest.mark.parametrize("code", ["C1A2B3C4", "CODEX77PLUM", "TESTAMENT9Q", "ABCQ7WX2", "12QW34ER"])
def test_code_that_nobody_guesses_is_not(code: str) -> None:
    assert found(study(), settings(completion_code=code)) == found(study())


def test_short_code_is_told_to_be_guessable() -> None:
    (said,) = named("Completion code", study(), settings(completion_code="QX7"))
    assert said.startswith("“QX7” has 3 characters and can be guessed.")


@pytest.mark.parametrize(
    ("site", "why"),
    [
        ("http://localhost:8000", "which no one outside your network can open"),
        ("https://localhost", "which no one outside your network can open"),
        ("http://127.0.0.1:8000", "which no one outside your network can open"),
        ("https://192.168.1.7", "which no one outside your network can open"),
        ("https://[::1]:8000", "which no one outside your network can open"),
        ("https://labserver", "which no one outside your network can open"),
        ("https://lab.local", "which no one outside your network can open"),
        ("http://ratings.lakeside.edu", "which is not encrypted (https)"),
    ],
)
def test_address_that_prolific_must_not_lead_to_is_refused(site: str, why: str) -> None:
    (said,) = refused(study(), None, Circumstances(site=site))
    assert f"Prolific would lead people to {site}, {why}. Set SITE_URL" in said
    assert refused(study(), settings("link"), Circumstances(site=site)) == []


def test_way_back_to_this_machine_is_refused() -> None:
    (said,) = refused(study(), settings(return_url="http://localhost:9000/back"))
    assert said.startswith("Way back to Prolific: prolific.return_url: the button would lead")


def test_stand_in_as_gold_is_refused_unless_it_is_allowed() -> None:
    stand_in = replace(PUBLIC, stand_in="judge@1", gold_is_used=["a rule uses them"])
    (said,) = refused(study(), None, stand_in)
    assert said.startswith(
        "Gold scores: They come from judge@1, a stand-in and not a language model, and a rule uses "
        "them."
    )
    allowed = replace(stand_in, stand_in_allowed=True)
    assert refused(study(), None, allowed) == []
    assert len(named("Gold scores", study(), None, allowed)) == 1


# ── Random codes ──────────────────────────────────────────────────────────────────────────────────


def test_study_without_codes_gets_one_for_each_ending_that_can_happen() -> None:
    random = with_new_codes({})
    given = Settings.model_validate({"ways_in": ["prolific"]})
    prolific = with_codes(given, study(), random).prolific
    assert prolific is not None
    assert prolific.codes == [random["completed"], random["declined"], random["withdrawn"]]
    assert len(set(random.values())) == 7
    assert all(len(code) == 8 and not set(code) & set("ILO01") for code in random.values())
    limited = given.model_copy(update={"places": given.places.model_copy(update={"maximum": 9})})
    assert with_codes(limited, study(), random).prolific.full_code == random["full"]  # type: ignore[union-attr]


def test_comprehension_check_gets_a_code_also_in_a_study_that_has_codes_of_before() -> None:
    known = {"completed": "AAAAAAAA", "declined": "BBBBBBBB", "withdrawn": "CCCCCCCC"}
    random = with_new_codes(known)
    assert random.items() >= known.items()
    checked = small_study.definition(small_study.YAML + small_study.COMPREHENSION)
    given = Settings.model_validate({"ways_in": ["prolific"]})
    prolific = with_codes(given, checked, random).prolific
    assert prolific is not None
    assert prolific.failed_comprehension_code == random["failed_comprehension"]
    assert len(set(prolific.codes)) == 4


@pytest.mark.parametrize("chosen", [settings(), Settings.model_validate({"ways_in": ["link"]})])
def test_codes_that_are_given_or_not_needed_stay(chosen: Settings) -> None:
    assert with_codes(chosen, study(), with_new_codes({})) is chosen


# ── Responses and titles ──────────────────────────────────────────────────────────────────────────


def with_text(index: int, text: str) -> list[ResponseRow]:
    rows = small_study.rows()
    rows[index] = replace(rows[index], text=text)
    return rows


def test_reference_with_different_texts_is_named_with_its_line() -> None:
    rows = with_text(5, "Failing hurts.")
    (finding,) = [f for f in found(study(), rows=rows) if f.rule == "Reference"]
    assert finding.line == 7
    assert finding.text.startswith(
        "It has different texts in the sets of 1 scenario: scenario 'S1', set '2' and set '1'."
    )
    assert named("Reference", study()) == []


def test_text_of_two_systems_is_named_with_its_line() -> None:
    rows = with_text(4, "Try again.")
    (finding,) = [f for f in found(study(), rows=rows) if f.rule == "Identical responses"]
    assert finding.line == 6
    assert finding.text.startswith(
        "1 text is the same for several systems: scenario 'S1', Ant (plain) and Bee (tuned)."
    )
    assert named("Identical responses", study()) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("As ChatGPT, I can't feel.", "ChatGPT"),
        ("I'm Claude, and I am sorry.", "I'm Claude"),
        ("Bee is what they call me.", "Bee"),
        ("我是通义千问。", "通义千问"),
    ],
)
def test_response_that_names_a_model_is_named_with_its_line(text: str, name: str) -> None:
    (finding,) = [f for f in found(study(), rows=with_text(0, text)) if f.rule == "Blinding"]
    assert finding.line == 2
    assert finding.text.startswith(
        f"1 response names “{name}”: scenario 'S1', set '1', Ant (plain)."
    )


def test_responses_that_name_a_model_are_counted_together() -> None:
    rows = [replace(row, text=f"ChatGPT says {row.text}") for row in small_study.rows()]
    (said,) = named("Blinding", study(), rows=rows)
    assert said.startswith("12 responses name “ChatGPT”, first: scenario 'S1'")


def test_longer_name_is_found_by_its_first_word() -> None:
    rows = [replace(row, model="Llama 3.2-3B") for row in with_text(0, "I am a Llama model.")]
    assert named("Blinding", study(), rows=rows)[0].startswith("1 response names “Llama”")


@pytest.mark.parametrize("text", ["An ant and a bee.", "The oracle was silent.", "Anthill"])
def test_common_word_is_no_name(text: str) -> None:
    assert named("Blinding", study(), rows=with_text(0, text)) == []


def test_title_that_names_a_model_is_named_and_thanks_may_do_so() -> None:
    definition = study(small_study.YAML.replace("A small study", "Is Bee kind?"), thanks="Bee.")
    (finding,) = [f for f in found(definition) if f.rule == "Blinding"]
    assert str(finding).startswith("Blinding: title: “Bee” names a model")


def renamed(model: str, text: str) -> list[ResponseRow]:
    """The responses with another name for a model, and with a text in one of another one."""
    rows = [replace(row, model=model) if row.model == "Ant" else row for row in small_study.rows()]
    return [replace(rows[0], text=f"{rows[0].text} {text}"), *rows[1:]]


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("A", "A friend can help."),
        ("D", "Vitamin D helps."),
        ("12", "Call 12 people."),
        ("AI", "AI may help."),
        ("Human", "Human beings fail. It is human."),
        ("human", "It is human to fail."),
        ("Base", "Base your plans on what you know."),
        ("Fine-tuned", "Fine, do it."),
        ("Hope", "Hope dies last. I hope so."),
        ("Model A", "Model your day on hers."),
    ],
)
def test_letters_and_common_words_are_no_names_of_models(model: str, text: str) -> None:
    texts = study(instructions=f"Please read A, D and the others. {text}")
    assert named("Blinding", texts, rows=renamed(model, text)) == []


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("GPT-4", "GPT-4 wrote this."),
        ("Claude", "Claude wrote this."),
        ("claude", "I am called claude."),
        ("Claude", "My name is Claude, or claude."),
        ("Mistral 7B", "As Mistral would say."),
        ("Model A", "Model A wrote this."),
        ("通义", "我是通义。"),
    ],
)
def test_names_of_models_are_found_in_texts_and_responses(model: str, text: str) -> None:
    definition = study(instructions=f"Please rate. {text}")
    assert len(named("Blinding", definition, rows=renamed(model, text))) == 2


def test_text_of_another_language_that_names_a_model_is_named() -> None:
    chinese = study(small_study.CHINESE, instructions="请评价 Bee 的回复。")
    (finding,) = [f for f in found(study(), translations=[chinese]) if f.rule == "Blinding"]
    assert finding.key == ("texts", "instructions", "zh-hans")


# ── Identity ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("What is your name?", "a name"),
        ("Please enter your full name.", "a name"),
        ("Your e-mail for the raffle?", "an e-mail address"),
        ("What is your phone number?", "a phone number"),
        ("What is your home address?", "an address"),
        ("What is your date of birth?", "a date of birth"),
        ("When were you born?", "a date of birth"),
        ("What is your IP address?", "an IP address"),
        ("Your Instagram handle?", "a social media account"),
        ("您的姓名是？", "a name"),
        ("您的微信号？", "a social media account"),
    ],
)
def test_question_about_identity_is_named(question: str, what: str) -> None:
    definition = study(small_study.YAML.replace("How old are you?", question))
    (finding,) = [f for f in found(definition) if f.rule == "No questions about identity"]
    assert finding.key == ("demographics", 0)
    assert f"seems to ask for {what}; Prolific forbids it." in finding.text


ASKED = "How old are you?"


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        (f"question: {ASKED}", f"question: {ASKED}, hint: And your full name?", "demographics.0"),
        (
            "conditions: [",
            "  - {kind: text, name: t, question: Your name?}\nconditions: [",
            "tasks.1",
        ),
        ("demographics:", "comment: Leave your e-mail if you like.\ndemographics:", "comment"),
    ],
)
def test_identity_is_looked_for_in_hints_free_texts_and_the_comment(
    before: str, after: str, key: str
) -> None:
    definition = study(small_study.YAML.replace(before, after))
    (finding,) = [f for f in found(definition) if f.rule == "No questions about identity"]
    assert ".".join(map(str, finding.key)) == key


def test_identity_is_looked_for_in_every_language() -> None:
    chinese = study(small_study.CHINESE.replace(ASKED, "您的姓名是？"))
    (said,) = named("No questions about identity", study(), translations=[chinese])
    assert said.startswith("“姓名” seems to ask for a name")


@pytest.mark.parametrize(
    "question",
    [
        "Does the response address your worries?",
        "Name one thing that helped you.",
        "In which year did you finish school?",
        "Do you use social media?",
        "How many phones do you own?",
    ],
)
def test_other_question_is_not(question: str) -> None:
    definition = study(small_study.YAML.replace("How old are you?", question))
    assert named("No questions about identity", definition) == []
