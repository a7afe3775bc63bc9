"""Random responses of Inkling, and its tokenizer, for cookbook_cases.py. Needs tinker_cookbook, and tml-renderers for the tokenizer."""

import json
import re

# The modes of training that the cookbook has for Inkling.
TML_MODES = ["last_assistant_message", "last_assistant_turn", "all_assistant_messages"]
TML_AUTHORS = ["<|message_model|>"] * 12 + ["<|message_user|>", "<|message_tool|>", "<|message_system|>", "", "x"]
TML_KINDS = ["<|content_text|>"] * 4 + ["<|content_thinking|>"] * 3 + ["<|content_tool_error|>"]
TML_ODD = ["<|content_xml|>", "<|content_image|>", "<|content_invoke_tool_text|>", "<|end_message|>", "<|unused_200007|>", "<|begin_of_text|>", ""]
TML_NUMBERS = ["1", "1.0", "-0", "1e5", "-0.5e-7", "1e-5", "1E22", "18446744073709551616", "-9223372036854775809", "123456789012345678", "1E400", "NaN", "1.10"]


def tml_part(rng, text, arguments):
    """A part of a response of Inkling, a few of them broken."""
    author, name = rng.choice(TML_AUTHORS), rng.choice(["", "", "", "f", "get_weather", " "])
    if rng.random() < 0.35:
        called = rng.choice(["f", "get_weather", "é", ""])
        args = rng.choice([*arguments, "[]", "null", "{", '{"z": %s, "a": [%s]}' % (rng.choice(TML_NUMBERS), rng.choice(TML_NUMBERS))])
        fields = [f'"name":{json.dumps(called, ensure_ascii=False)}', f'"args":{args}']
        if rng.random() < 0.1:
            fields = rng.choice([fields[::-1], fields[:1], fields[1:], [*fields, '"id":"c1"'], ['"name":5', fields[1]]])
        head = rng.choice([called, called, called, "", name])
        return author + head + "<|content_invoke_tool_json|>" + rng.choice(["", "", " ", "\n"]) + "{" + ",".join(fields) + "}<|end_message|>"
    kind = rng.choice(TML_ODD if rng.random() < 0.06 else TML_KINDS)
    inner = rng.choice(["<|content_text|>", "<|message_user|>", "<|unused_200007|>"]) if rng.random() < 0.05 else ""
    return author + (name if rng.random() < 0.2 else "") + kind + text(rng) + inner + "<|end_message|>"


def tml_response(rng, text, arguments):
    """A response of Inkling, often cut off. `text` makes a random text, and `arguments` are those of calls."""
    made = "".join(tml_part(rng, text, arguments) for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 3)))
    if rng.random() < 0.25:
        made = made[: rng.randint(0, len(made))]
        made = made[: made.rfind("<|")] if re.search(r"<\|[a-z0-9_]*\|?$", made) else made
    return made + ("<|content_model_end_sampling|>" if rng.random() < 0.8 else "")


class TmlTokenizer:
    """Inkling's tokenizer, which takes special tokens in a text for tokens as those of transformers do."""

    def __init__(self):
        from tinker_cookbook.tokenizer_utils import get_tokenizer

        self.own = get_tokenizer("thinkingmachines/Inkling")
        names = {id: self.own.tml_tokenizer.decode_special(id) for id in range(199_000, 202_000)}
        self.tokens = {f"<|{name}|>": id for id, name in names.items() if name is not None}

    def encode(self, text, **_):
        parts = re.split("(" + "|".join(map(re.escape, self.tokens)) + ")", text)
        return [id for part in parts for id in ([self.tokens[part]] if part in self.tokens else self.own.encode(part))]
