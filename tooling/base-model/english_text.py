"""Plain English out of two Debian packages: dictionary entries (WordNet) and six novels (Jane Austen)."""

import re
import zlib
from pathlib import Path

UNWELCOME_GLOSS = re.compile(r"slur|obscene|vulgar|offensive|disparag|derogat|taboo", re.IGNORECASE)
NOVELS = ("sensesensibility", "prideprejudice", "mansfieldpark", "emma", "northangerabbey", "persuasion")


def wordnet_entries(corpora: Path) -> list[str]:
    """One text per synonym set: `planet: a celestial body ....` and its example sentences, each on its own line."""
    entries = []
    for part in ("noun", "verb", "adj", "adv"):
        path = corpora / "usr/share/wordnet" / f"data.{part}"
        for line in path.read_text(encoding="ascii", errors="ignore").split("\n"):
            if line.startswith("  ") or " | " not in line:
                continue
            entry = wordnet_entry(line)
            if entry is not None:
                entries.append(entry)
    return entries


def wordnet_entry(line: str) -> str | None:
    """None where the gloss marks the word as abusive."""
    data, gloss = line.split(" | ", 1)
    if UNWELCOME_GLOSS.search(gloss):
        return None
    fields = data.split(" ")
    names = [fields[4 + 2 * index].replace("_", " ") for index in range(int(fields[3], 16))]
    names = [re.sub(r"\(\w+\)$", "", name) for name in names]
    examples = [capital(text) for text in re.findall(r'"([^"]+)"', gloss) if " " in text]
    definition = re.sub(r'\s*;?\s*"[^"]*"?.*$', "", gloss).strip(" ;")
    if not definition:
        return None
    return "\n".join([f"{', '.join(names[:3])}: {definition}.", *(full_stop(text) for text in examples)])


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def full_stop(text: str) -> str:
    return text if text[-1:] in ".?!" else text + "."


def austen_paragraphs(corpora: Path) -> list[str]:
    """The novels' paragraphs in reading order, each on one line."""
    folder = corpora / "usr/lib/R/site-library/janeaustenr/data"
    data = (folder / "Rdata.rdb").read_bytes()
    novels = [lines for lines in r_character_vectors(data) if len(lines) > 1000]
    if len(novels) != len(NOVELS):
        raise ValueError(f"expected {len(NOVELS)} novels in {folder}, found {len(novels)}")
    paragraphs = []
    for lines in novels:
        for paragraph in "\n".join(lines).split("\n\n"):
            text = re.sub(r"\s+", " ", paragraph).strip().replace("_", "").replace("--", " - ")
            if text.isascii() and len(text) > 40:
                paragraphs.append(text)
    return paragraphs


def r_character_vectors(lazy_load: bytes) -> list[list[str]]:
    """The character vectors of an R lazy-load database: a 4-byte size and a zlib stream for each object."""
    vectors = []
    position = 0
    while position < len(lazy_load):
        stream = zlib.decompressobj()
        raw = stream.decompress(lazy_load[position + 4 :])
        position = len(lazy_load) - len(stream.unused_data)
        vectors.append(r_strings(raw))
    return vectors


def r_strings(serialized: bytes) -> list[str]:
    """Every CHARSXP of an XDR serialization: type byte 9 in a 4-byte flag word, a 4-byte length, the bytes."""
    strings = []
    position = 0
    while (position := serialized.find(b"\x00\x09", position)) >= 0:
        start = position + 6
        length = int.from_bytes(serialized[position + 2 : start], "big", signed=True)
        text = serialized[start : start + max(length, 0)]
        if length < 0 or length > 2000 or len(text) < length or not text.isascii():
            position += 1
            continue
        strings.append(text.decode("ascii"))
        position = start + length
    return strings
