"""Where words end, in any script. Pure.

`\\b` sees no edge between `我是` and `ChatGPT`, nor between `ChatGPT` and the Korean `는`.
"""

#: Characters of scripts without spaces, for classes of `re` and `regex`: Chinese, Japanese, Thai,
#: Lao, Burmese and Khmer, with their vowel signs, without their digits and punctuation.
UNSPACED = (
    r"\u3005-\u3007\u3021-\u3029\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f"
    r"\U00020000-\U000323af\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
    r"\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\uaa60-\uaa76\uaa7a-\uaa7f"
    r"\u1780-\u17d3\u17d7\u17dc\u17dd"
)
#: Korean: words have spaces between them, but particles stand right behind a name or an address.
HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
#: Letters that have case (Latin, Cyrillic, Greek and others), for classes of `regex`.
CASED_LETTERS = r"\p{Lu}\p{Ll}\p{Lt}\u0300-\u036f"
#: Characters that continue such a word or a number. Letters without case (Chinese, Korean
#: particles, Arabic prefixes) may touch it.
CASED = rf"{CASED_LETTERS}\p{{Nd}}_"
#: The edges of such words, for `regex`.
BEGINS, ENDS = rf"(?<![{CASED}])", rf"(?![{CASED}])"
