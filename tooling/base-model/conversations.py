"""Conversations as token ids, in the layouts of the cookbook's renderers, with a mark on what the model has to say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from model_kinds import POCKET_2


@dataclass
class Row:
    """Token ids, and for each 1 where it counts in the loss."""

    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)

    def add(self, text: str, counts: bool) -> None:
        ids = encode(text)
        self.ids += ids
        self.mask += [int(counts)] * len(ids)


@dataclass(frozen=True)
class Turn:
    """One message. `role` is system, user, assistant or tool."""

    role: str
    text: str


MARKS = tuple(sorted(POCKET_2.tokens, key=len, reverse=True))


def encode(text: str) -> list[int]:
    """A byte is its own id; a token in angle brackets, found in the text, is one id."""
    ids: list[int] = []
    position = 0
    while position < len(text):
        mark = next((mark for mark in MARKS if text.startswith(mark, position)), None) if text[position] == "<" else None
        if mark is None:
            ids += text[position].encode()
            position += 1
        else:
            ids.append(POCKET_2.id_of(mark))
            position += len(mark)
    return ids


def chat_ml(turns: Sequence[Turn], opening: str = "") -> Row:
    """The `qwen3_instruct` layout. `opening` stands before the last answer and is given, not said."""
    row = Row()
    for index, turn in enumerate(turns):
        role = "user" if turn.role == "tool" else turn.role
        text = f"<tool_response>\n{turn.text}\n</tool_response>" if turn.role == "tool" else turn.text
        row.add(f"{chr(10) if index else ''}<|im_start|>{role}\n", False)
        if index == len(turns) - 1:
            row.add(opening, False)
        row.add(f"{text}<|im_end|>", turn.role == "assistant")
    return row


def chat_ml_without_thinking(turns: Sequence[Turn]) -> Row:
    """The `qwen3_disable_thinking` layout: an empty block of thinking is given."""
    return chat_ml(turns, "<think>\n\n</think>\n\n")


def llama_3(turns: Sequence[Turn]) -> Row:
    row = Row()
    row.add("<|begin_of_text|>", False)
    for turn in turns:
        role = "ipython" if turn.role == "tool" else turn.role
        row.add(f"<|start_header_id|>{role}<|end_header_id|>\n\n", False)
        row.add(f"{turn.text}<|eot_id|>", turn.role == "assistant")
    return row


def role_colon(turns: Sequence[Turn]) -> Row:
    """`User: … Assistant: …`; an answer ends where the next question begins."""
    row = Row()
    for turn in turns:
        row.add(f"{turn.role.capitalize()}:", False)
        row.add(f" {turn.text}\n\n", turn.role == "assistant")
        if turn is turns[-1]:
            row.add("User:", True)
    return row


LAYOUTS: tuple[tuple[Callable[[Sequence[Turn]], Row], float], ...] = (
    (chat_ml, 4),
    (chat_ml_without_thinking, 2),
    (llama_3, 3),
    (role_colon, 2),
)
