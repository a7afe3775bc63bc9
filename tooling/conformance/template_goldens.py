"""Records what transformers renders of the chat templates in a folder, for template-goldens.test.ts.

`python template_goldens.py FOLDER --count 150 --seed 1` reads FOLDER/templates/*.jinja, makes random conversations and writes them
to FOLDER/chats.json, and the text of each template with each of them, or its error, to FOLDER/golden.json. Conversations that are
there already are kept with `--count 0`. Real templates come, among others, with the source of llama-cpp-python (vendor/llama.cpp/
models/templates). It needs transformers.
"""

import argparse
import json
import pathlib
import random

from transformers import PreTrainedTokenizerFast

TOKENIZER = pathlib.Path(__file__).parents[2] / "packages/tokenizer/fixtures/tiny/tokenizer.json"

TEXTS = [
    "hello",
    "",
    "  lead and trail \n",
    "<think>a</think>b",
    "</think>x",
    "a<think>\nb\n",
    '{"a": 1}',
    "é ü 漢字 🙂 \u2028",
    "<|im_end|>",
    "line1\nline2\n\n",
    "[TOOL_CALLS]",
    "it's \"q\" & <b> ' \\n",
    "\t",
    "İstanbul ß",
    "None",
    "\x1f x \x85",
]
INTEGERS = [0, 1, -1, 7, 2**31, 2**63, 10**25]
FLOATS = [0.0, 1.0, -0.0, 1.5, 1e-7, 1e16, 1e22, 0.1 + 0.2, 1e100]
# Some are names of methods of a dict, some look like integers, whose order JavaScript's objects do not keep.
KEYS = ["a", "city", "x y", "é", "items", "keys", "get", "name", "type", "10", "2", "Z", "_p", "content"]


class Conversations:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def one_of(self, choices):
        return self.random.choice(choices)

    def happens(self, share):
        return self.random.random() < share

    def text(self):
        return self.one_of(TEXTS)

    def value(self, depth=0):
        kinds = [self.text, lambda: self.one_of(INTEGERS), lambda: self.one_of(FLOATS), lambda: self.one_of([True, False, None])]
        if depth < 3:
            kinds += [
                lambda: [self.value(depth + 1) for _ in range(self.random.randrange(3))],
                lambda: {self.one_of(KEYS): self.value(depth + 1) for _ in range(self.random.randrange(4))},
            ]
        return self.one_of(kinds)()

    def content(self):
        kind = self.random.randrange(13)
        if kind < 9:
            return self.text()
        return [
            [{"type": "text", "text": self.text()}],
            [{"type": "text", "text": self.text()}, {"type": "text", "text": self.text()}],
            [{"type": "image"}, {"type": "text", "text": self.text()}],
            self.one_of([None, []]),
        ][kind - 9]

    def call(self, number):
        arguments = {self.one_of(KEYS): self.value() for _ in range(self.random.randrange(4))}
        if self.happens(0.2):
            arguments = json.dumps(arguments, ensure_ascii=self.happens(0.5))
        call = {"function": {"name": self.one_of(["get_weather", "f", "ns.search", "a-b"]), "arguments": arguments}}
        if self.happens(0.8):
            call["type"] = "function"
        if self.happens(0.7):
            call["id"] = self.one_of([f"call_{number}", "abc123456", "functions.f:0"])
        return call

    def assistant(self, number):
        message = {"role": "assistant"}
        if self.happens(0.93):
            message["content"] = self.content()
        for name, share in [("reasoning_content", 0.3), ("thinking", 0.1), ("reasoning", 0.1)]:
            if self.happens(share):
                message[name] = self.text()
        if self.happens(0.35):
            message["tool_calls"] = [self.call(number + each) for each in range(self.one_of([1, 1, 2, 0]))]
        return message

    def answers(self, message):
        for call in message.get("tool_calls", []):
            if self.happens(0.85):
                answer = {"role": "tool", "content": self.content()}
                if self.happens(0.6):
                    answer["tool_call_id"] = call.get("id", "x")
                if self.happens(0.5):
                    answer["name"] = call["function"]["name"]
                yield answer

    def schema(self, depth=0):
        if depth < 2 and self.happens(0.1):
            return {"anyOf": [self.schema(depth + 1), {"type": "null"}]}
        kind = self.one_of(["string", "integer", "number", "boolean", "array", "object", ["string", "null"]])
        schema = {"type": kind}
        if self.happens(0.7):
            schema["description"] = self.text()
        if self.happens(0.2):
            schema["enum"] = [self.value(2), self.value(2)]
        if self.happens(0.1):
            schema["default"] = self.value(1)
        if kind == "array" and depth < 2:
            schema["items"] = self.schema(depth + 1)
        if kind == "object" and depth < 2:
            schema["properties"] = {self.one_of(KEYS): self.schema(depth + 1) for _ in range(2)}
        return schema

    def tool(self):
        properties = {self.one_of(KEYS): self.schema() for _ in range(self.random.randrange(4))}
        parameters = {"type": "object", "properties": properties}
        if self.happens(0.7):
            parameters["required"] = list(properties)[: self.random.randrange(4)]
        function = {"name": self.one_of(["get_weather", "f"]), "parameters": parameters}
        if self.happens(0.9):
            function["description"] = self.text()
        if self.happens(0.15):
            function["strict"] = True
        return {"type": "function", "function": function}

    def conversation(self):
        messages = []
        if self.happens(0.4):
            messages.append({"role": self.one_of(["system", "system", "developer"]), "content": self.content()})
        for turn in range(self.random.randrange(1, 4)):
            messages.append({"role": "user", "content": self.content()})
            if self.happens(0.75):
                answer = self.assistant(turn)
                messages += [answer, *self.answers(answer)]
            if self.happens(0.2):
                messages.append(self.assistant(9))
        chat = {"messages": messages}
        if self.happens(0.4):
            chat["tools"] = [self.tool() for _ in range(self.one_of([1, 2, 0]))]
        if self.happens(0.3):
            chat["gen"] = False
        variables = {}
        if self.happens(0.15):
            variables["enable_thinking"] = self.one_of([True, False])
        if self.happens(0.05):
            variables["reasoning_effort"] = self.one_of(["low", "high", "none"])
        return {**chat, "vars": variables} if variables else chat


def rendered(tokenizer, template, chat):
    try:
        text = tokenizer.apply_chat_template(
            chat["messages"],
            tools=chat.get("tools"),
            chat_template=template,
            tokenize=False,
            add_generation_prompt=chat.get("gen", True),
            **chat.get("vars", {}),
        )
        return {"text": text}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chats_file = arguments.folder / "chats.json"
    if arguments.count > 0:
        conversations = Conversations(arguments.seed)
        chats = {f"random-{number}": conversations.conversation() for number in range(arguments.count)}
        chats_file.write_text(json.dumps(chats, ensure_ascii=False), encoding="utf8")
    chats = json.loads(chats_file.read_text(encoding="utf8"))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(TOKENIZER), bos_token="<|im_start|>", eos_token="<|im_end|>", unk_token="<|endoftext|>"
    )
    goldens = {}
    for file in sorted((arguments.folder / "templates").glob("*.jinja")):
        template = file.read_text(encoding="utf8")
        goldens[file.name] = {name: rendered(tokenizer, template, chat) for name, chat in chats.items()}
    (arguments.folder / "golden.json").write_text(json.dumps(goldens), encoding="utf8")


if __name__ == "__main__":
    main()
