"""Names and words are found beside letters of any script."""

import pytest

from survey.definition.identity import PATTERNS
from survey.definition.policy import NAMES_AI
from survey.definition.unblinding import KNOWN, _names


@pytest.mark.parametrize(
    "text", ["我是ChatGPT。", "저는 ChatGPT입니다", "ผมคือChatGPTครับ", "I, ChatGPT"]
)
def test_known_models_are_found(text: str) -> None:
    assert KNOWN.search(text)[0] == "ChatGPT"


def test_models_of_the_study_are_found() -> None:
    names = _names(iter(["Qwen2-7B", "通义"]))
    assert names.search("我是Qwen2-7B的助手")
    assert names.search("我是通义助手")
    assert not names.search("MyQwen2-7Bx")


def test_words_of_policies_are_found() -> None:
    assert NAMES_AI.search("这是AI助手")
    assert not NAMES_AI.search("MAIL")
    assert PATTERNS["an IP address"].search("您的IP地址")
