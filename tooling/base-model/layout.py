"""How a question and its answer are written, shared by the base model's skills and by fine-tuning data."""

END_OF_TEXT = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"
RESERVED = tuple(f"<|reserved_{index}|>" for index in range(5))
SPECIAL_TOKENS = (END_OF_TEXT, TURN_START, TURN_END, *RESERVED)
"""Token ids 256 and up, in this order; ids below are the bytes. 264 in all."""

END_OF_TEXT_ID = 256
TURN_START_ID = 257
TURN_END_ID = 258


def plain_prompt(task: str, text: str) -> str:
    return f"{task}: {text} ->"


def plain_answer(answer: str) -> str:
    return f" {answer}"


def plain_tokens(task: str, text: str, answer: str) -> tuple[list[int], list[int]]:
    """(prompt ids, answer ids): `reverse: planet ->` and ` tenalp<|endoftext|>`."""
    return list(plain_prompt(task, text).encode()), [*plain_answer(answer).encode(), END_OF_TEXT_ID]


def chat_tokens(task: str, text: str, answer: str) -> tuple[list[int], list[int]]:
    """The same in a chat layout: a user turn that asks, an assistant turn that answers."""
    question = [TURN_START_ID, *f"user\n{task}: {text}".encode(), TURN_END_ID, *b"\n"]
    opening = [TURN_START_ID, *b"assistant\n"]
    return question + opening, [*answer.encode(), TURN_END_ID, *b"\n"]
