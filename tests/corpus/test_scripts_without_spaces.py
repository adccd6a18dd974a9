"""Addresses and names beside letters of scripts without spaces, particles and prefixes."""

from pathlib import Path

import pytest

from corpus.addresses import url_in
from corpus.cleaning import Anonymizer, tokens
from corpus.dialogues import Dialogue
from corpus.filtering import filter_dialogues
from corpus.filters import CORPUS, Filters


def without(text: str, *names: str) -> str:
    changed, _ = Anonymizer(names).anonymize({"prompt": text})
    return changed["prompt"]


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("电话13812345678，请打", "电话[phone]，请打"),
        ("打138-1234-5678或１３８１２３４５６７８找我", "打[phone]或[phone]找我"),
        ("邮箱abc.d@163.com谢谢", "邮箱[mail]谢谢"),
        ("请看https://example.com/a?b=1谢谢", "请看[url]谢谢"),
        ("網址是www.example.com.tw，謝謝", "網址是[url]，謝謝"),
        ("電話は０９０－１２３４－５６７８です", "電話は[phone]です"),
        ("電話は０９０ー１２３４ー５６７８です", "電話は[phone]です"),
        ("メールはａｂｃ＠ｅｘａｍｐｌｅ．ｊｐです", "メールは[mail]です"),
        ("サイト（https://example.jp/a）を見て", "サイト（[url]）を見て"),
        ("ติดต่อ081-234-5678นะคะ", "ติดต่อ[phone]นะคะ"),
        ("โทร๐๘๑-๒๓๔-๕๖๗๘หรือ+66812345678ค่ะ", "โทร[phone]หรือ[phone]ค่ะ"),
        ("อีเมลที่abc@example.co.thนะ", "อีเมลที่[mail]นะ"),
        ("เว็บexample.co.th/aนะ", "เว็บ[url]นะ"),
        ("ໂທ020 5512 3456ນະ", "ໂທ[phone]ນະ"),
        ("ទូរស័ព្ទ012 345 678ពេញ", "ទូរស័ព្ទ[phone]ពេញ"),
        ("ဖုန်း09123456789ပါ", "ဖုန်း[phone]ပါ"),
    ],
)
def test_addresses_are_replaced_and_their_neighbours_kept(text: str, changed: str) -> None:
    assert without(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a@b.com으로 보내고 010-1234-5678로", "[mail]으로 보내고 [phone]로"),
        ("لـali@example.com و+966501234567 و٠٥٠١٢٣٤٥٦٧", "لـ[mail] و[phone] و[phone]"),
        ("почта@пример.рф, тел.+7 912 345-67-89", "[mail], тел.[phone]"),
        ("用户@例子.公司", "[mail]"),
        ("appelle le 06 12 34 56 78 ou le +33 6 12 34 56 78", "appelle le [phone] ou le [phone]"),
        ("(see https://example.org/a_(b)). Bye", "(see [url]). Bye"),
        ("http://user:pw@example.org/a or -a@b.org", "[url] or -[mail]"),
        ("0312345678 0312345679\n138-1234-5678/139-1234-5678", "[phone] [phone]\n[phone]/[phone]"),
        ("13812345678 2024年, 10:30 0312345678 10:30", "[phone] 2024年, 10:30 [phone] 10:30"),
    ],
)
def test_addresses_in_other_scripts_and_beside_each_other(text: str, changed: str) -> None:
    assert without(text) == changed


@pytest.mark.parametrize(
    "text",
    [
        "2024年1月15日, 20240115, 20240115103000, 2024-01-15 10:30",
        "¥12800, ¥1280000000, $ 123456789, 1234567890元",
        "1000000000, 12.000.000.000, 1 234 567 890, 3.14159265358",
        "ISBN 978-7-111-21382-6, ISBN 7-111-21382-X, 9787111213826",
        "192.168.1.1 10:30:45",
        "编号SN13812345678，身份证110101199001011234",
        "@name，你好@小明，微信号wxid_abc",
        "3:2，共12345678人",
    ],
)
def test_other_numbers_and_handles_stay(text: str) -> None:
    assert without(text) == text


def test_names_are_found_beside_other_letters() -> None:
    assert without("和Ann说，AnnX", "Ann") == "和[name]说，AnnX"
    assert without("คุณสมชายครับ", "สมชาย") == "คุณ[name]ครับ"
    assert without("김철수는 김철수", "김철수") == "[name]는 [name]"
    assert without("عليه علي", "علي") == "عليه [name]"
    assert without("老师my name is Bob我很累") == "老师my name is [name]我很累"


def test_web_addresses_end_where_a_script_without_case_begins() -> None:
    assert (
        url_in("请看ｈｔｔｐｓ：／／ｅｘａｍｐｌｅ．ｃｏｍ谢谢")
        == "ｈｔｔｐｓ：／／ｅｘａｍｐｌｅ．ｃｏｍ"
    )
    assert url_in("https://例子.中国/a谢谢") == "https://例子.中国/a"
    assert url_in("写信给me@example.com谢谢") == ""


def test_words_end_where_a_script_without_spaces_begins() -> None:
    assert tokens("abc我们x1ไทย") == ["abc", "我", "们", "x1", "ไ", "ท", "ย"]
    assert tokens("センターABC") == ["セ", "ン", "タ", "ー", "ABC"]


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (Filters(), []),
        (Filters(checked=("prompt",)), ["问 [url] 一下这个", "看[url]谢谢"]),
        (Filters(steps=("anonymize",)), ["问 [url] 一下这个", "看[url]谢谢"]),
    ],
)
def test_a_web_address_is_replaced_where_the_step_url_does_not_remove_it(
    tmp_path: Path, filters: Filters, left: list[str]
) -> None:
    dialogue = Dialogue(1, 1, "想问一下这个怎么办", "问 a.com 一下这个", "看https://a.com谢谢")
    filter_dialogues([dialogue], filters, tmp_path, has_responses=True)
    kept = (tmp_path / CORPUS).read_text(encoding="utf-8")
    assert all(text in kept for text in left)
    assert bool(kept) is bool(left)


@pytest.mark.parametrize(
    "mail",
    ["علي@example.com", "김철수@naver.com", "小明@qq.com", "สมชาย@x.co.th", "ali.علي@example.com"],
)
def test_mail_of_a_name_in_letters_without_case_is_replaced(mail: str) -> None:
    assert without(f"({mail})") == "([mail])"


def test_names_are_found_however_their_accents_are_written() -> None:
    composed, decomposed = "Jos\u00e9", "Jose\u0301"
    for name in (composed, decomposed):
        assert without(f"{composed} and {decomposed}.", name) == "[name] and [name]."
    assert without(f"my name is {decomposed}. Hi {composed}!") == "my name is [name]. Hi [name]!"
