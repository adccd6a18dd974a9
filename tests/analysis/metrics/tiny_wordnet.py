"""A WordNet database with a few sets of synonyms, in the format of Princeton's files."""

from pathlib import Path

#: Sets of synonyms by the kind of word.
SYNONYMS = {
    "adj": (("glad", "happy", "cheerful"), ("weary", "tired"), ("quiet", "calm")),
    "noun": (("friend", "companion"), ("worry", "concern"), ("road", "path", "way")),
}
KINDS = {"adj": "a", "adv": "r", "noun": "n", "verb": "v"}


def write_wordnet(folder: Path) -> Path:
    """Write the database into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lexnames").write_text("00\tadj.all\t3\n01\tnoun.all\t1\n")
    for kind, mark in KINDS.items():
        data, places = "  A head, as their licence\n", {}
        for each in SYNONYMS.get(kind, ()):
            words = " ".join(f"{word} 0" for word in each)
            places.update(dict.fromkeys(each, len(data)))
            lexname = "01" if kind == "noun" else "00"
            data += f"{len(data):08} {lexname} {mark} {len(each):02x} {words} 000 | no gloss  \n"
        index = [f"{word} {mark} 1 0 1 0 {at:08}  \n" for word, at in sorted(places.items())]
        (folder / f"data.{kind}").write_text(data)
        (folder / f"index.{kind}").write_text("".join(index))
        (folder / f"{kind}.exc").write_text("")
    return folder
