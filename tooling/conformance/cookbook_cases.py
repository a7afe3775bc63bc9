"""Writes random conversations and responses, and what tinker-cookbook's renderers make of them.

`python cookbook_cases.py --tokenizer layout-tokenizer.json.gz --seed 1 --count 500` prints one JSON line with the version, the
tokenizer, the conversations and the tools, and one for each renderer: what it makes of each conversation, how it declares each list of
tools, and what it reads in as many responses of its family. It needs tinker_cookbook 0.6.1 and transformers; torch is stubbed where it is absent.
Inkling's renderer has its own tokenizer, and needs tml-renderers (0.2.1 or later) with torch itself; it is left out without them.
"""

import argparse
import gzip
import hashlib
import json
import logging
import random
import sys
import tempfile
import types
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
try:
    import torch  # noqa: F401
except ImportError:

    class Weights(list):
        tolist = list.copy

    stub = types.ModuleType("torch")
    stub.Tensor = Weights
    stub.tensor = lambda values, **_: Weights(values)
    sys.modules["torch"] = stub

from importlib.metadata import version

from tinker_cookbook.renderers import TrainOnWhat, get_renderer
from tinker_cookbook.renderers.base import ToolCall
from tinker_cookbook.renderers.gpt_oss import GptOssRenderer
from tinker_cookbook.renderers.qwen3 import Qwen3Renderer
from tml_cases import TML_MODES, TmlTokenizer, tml_response
from transformers import PreTrainedTokenizerFast

RENDERERS = """role_colon llama3 qwen3 qwen3_disable_thinking qwen3_instruct qwen3_keep_thinking qwen3_vl qwen3_vl_instruct deepseekv3
deepseekv3_disable_thinking deepseekv3_thinking gpt_oss_no_sysprompt gpt_oss_low_reasoning gpt_oss_medium_reasoning
gpt_oss_high_reasoning qwen3_5 qwen3_5_disable_thinking qwen3_5_preserve_thinking qwen3_8_xhigh_reasoning qwen3_8_medium_reasoning
qwen3_8_low_reasoning qwen3_8_disable_thinking nemotron3 nemotron3_low_thinking nemotron3_disable_thinking
nemotron3_preserve_thinking nemotron3_ultra nemotron3_ultra_medium_thinking nemotron3_ultra_disable_thinking
nemotron3_ultra_preserve_thinking glm5_3_max_reasoning glm5_3_high_reasoning glm5_3_low_reasoning kimi_k2 kimi_k25
kimi_k25_disable_thinking kimi_k26 kimi_k26_disable_thinking kimi_k26_preserve_thinking deepseekv4_1 deepseekv4_1_low_reasoning
deepseekv4_1_max_reasoning deepseekv4_1_preserve_thinking deepseekv4_1_disable_thinking tml_v0""".split()
# Tokens of the families that have a tokenizer in a registry; the layout tokenizer has those of the others.
FURTHER_TOKENS = (
    """<|begin_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|end_of_text|> <|start|> <|end|> <|message|>
<|channel|> <|constrain|> <|return|> <|call|> <｜tool▁calls▁begin｜> <｜tool▁calls▁end｜> <｜tool▁call▁begin｜>
<｜tool▁call▁end｜> <｜tool▁sep｜> <｜tool▁outputs▁begin｜> <｜tool▁outputs▁end｜> <｜tool▁output▁begin｜>
<｜tool▁output▁end｜>""".split()
)
# The day in the prompts of GPT-OSS, which compare-renderer.ts gives as well.
CURRENT_DATE = "2026-01-31"
MODES = [
    "last_assistant_message", "last_assistant_turn", "all_assistant_messages", "all_messages", "all_tokens",
    "all_user_and_system_messages",
]
WORDS = [
    "a", " b ", "\n", "é", "<think>", "</think>", "x", "\n\n y", "1", "", '{"k":1}', "<tool_call>", "  ", "😀", "\t",
    "User:", "İ",
]
ARGUMENTS = [
    "{}", '{"city": "Oslo"}', '{"a": 1.0, "b": [1, {"c": null}], "é": true}',
    '{"n":12345678901234567890,"s":"x\\ny"}', '{"x": null}', '{"x": "null", "y": "1"}', '{"x": [], "y": {}}',
    '{"x": "a<b>", "z": -0.5e-7}', '{"x": " é \\u00e9 😀"}',
]
VALUES = ["null", "1", "1.0", '"a"', "a", " a \n", "[1, 2]", "{", '{"k": 1}', "true", "True", "", "é", "1e5", "-", '"', "<x>"]
# A call whose id has no number is dropped by the cookbook and kept as unparsed here.
NUMBERED = ["functions.f:0", "functions.g:1", "f:0", "functions.a b:12", "a.b.c:3", " functions.f:0 ", "functions.é:0", "x:y:4"]
NAMES = ["f", "get_weather", "", "a b", "é", "f-g", "functions.f:0", "functions.g:1", "f:0"]


def text(rng, words=WORDS, most=4):
    return "".join(rng.choice(words) for _ in range(rng.randint(0, most)))


def assistant(rng, first_call):
    message = {"role": "assistant", "content": text(rng)}
    if rng.random() < 0.5:
        thinking = [{"type": "thinking", "thinking": text(rng)}] if rng.random() < 0.8 else []
        message["content"] = thinking + [{"type": "text", "text": text(rng)} for _ in range(rng.randint(0, 2))]
    results = []
    if rng.random() < 0.4:
        ids = [f"functions.f:{first_call + place}" for place in range(rng.randint(1, 2))]
        message["tool_calls"] = [
            {"type": "function", "id": id, "function": {"name": "f", "arguments": rng.choice(ARGUMENTS)}} for id in ids
        ]
        rng.shuffle(ids)
        results = [{"role": "tool", "content": text(rng), "tool_call_id": id, "name": "f"} for id in ids]
    return message, results


def conversation(rng):
    messages = [{"role": "system", "content": text(rng)}] if rng.random() < 0.4 else []
    calls = 0
    for _ in range(rng.randint(1, 3)):
        messages.append({"role": "user", "content": text(rng)})
        for _ in range(rng.randint(0, 2)):
            message, results = assistant(rng, calls)
            calls += len(results)
            messages += [message, *results]
    messages.append({"role": "assistant", "content": text(rng)})
    return messages


# None looks like an integer, whose order JavaScript's objects do not keep, and no number is whole as 1.0 is.
PROPERTIES = ["x", "y", "Z", "é", "a b", "items", "type", "b_1", "Ä", "properties"]
CONSTANTS = [None, True, False, 0, -1, 7, 0.5, 1e-7, 1e22, "", "a", 'q"\\', "é\n😀", [], {}, [1, "b"], {"k": None}]
# A float that is whole is an integer in JavaScript, and would be one of the type.
SCALARS = [value for value in CONSTANTS[:-4] if value != 1e22]
TYPES = ["string", "integer", "number", "boolean", "array", "object", "null", ["string", "null"], ["integer", "array"]]


def schema(rng, depth=0):
    if rng.random() < 0.05:
        return rng.choice([{}, {"const": 1}, {"$ref": "#/$defs/Other"}, {"enum": ["a", 1, None]}])
    if depth < 2 and rng.random() < 0.1:
        made = {rng.choice(["anyOf", "anyOf", "oneOf"]): [schema(rng, depth + 1), {"type": "null"}]}
    else:
        made = {"type": rng.choice(TYPES)}
    if rng.random() < 0.5:
        made["description"] = text(rng)
    for name, share in [("title", 0.1), ("default", 0.25), ("nullable", 0.05), ("minimum", 0.1), ("maxLength", 0.1), ("maxItems", 0.1)]:
        if rng.random() < share:
            bounds = {"title": text(rng), "default": rng.choice(CONSTANTS), "nullable": True}
            made[name] = bounds.get(name, rng.choice([0, -1, 7, 0.5, 1e22]))
    if rng.random() < 0.15:
        made["enum"] = [rng.choice(SCALARS) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.1:
        made["examples"] = [rng.choice(CONSTANTS) for _ in range(rng.randint(0, 2))]
    if made.get("type") == "array" and depth < 2 and rng.random() < 0.8:
        made["items"] = schema(rng, depth + 1)
    if made.get("type") == "object" and depth < 2 and rng.random() < 0.8:
        made.update(fields(rng, depth + 1))
    return made


def fields(rng, depth):
    made = {"properties": {rng.choice(PROPERTIES): schema(rng, depth) for _ in range(rng.randint(0, 3))}}
    if rng.random() < 0.7:
        made["required"] = rng.sample(sorted(made["properties"]), rng.randint(0, len(made["properties"])))
    if rng.random() < 0.15:
        made["additionalProperties"] = rng.choice([False, True, {"type": "string"}, {"type": "object", "properties": {}}])
    return made


def toolbox(rng):
    tools = []
    for place in range(rng.randint(1, 2)):
        parameters = {"type": "object", **fields(rng, 0)}
        if rng.random() < 0.1:
            parameters["$defs"] = {"Other": schema(rng, 1)}
        if rng.random() < 0.1:
            parameters["description"] = text(rng)
        tools.append({"name": ["f", "get_weather"][place], "description": text(rng), "parameters": parameters})
    return {"tools": tools, "system": rng.choice(["", "", "Be brief.", text(rng)])}


def json_call(rng):
    arguments = rng.choice([*ARGUMENTS, "null", "[]", '"{\\"x\\": 1}"', "1", "{", '{"x": 1} x'])
    fields = [f'"name": {json.dumps(rng.choice(NAMES))}', f'"arguments": {arguments}']
    if rng.random() < 0.15:
        fields = rng.choice(
            [fields[:1], fields[1:], [*fields, '"id": "c1"'], ['"name": 5', fields[1]], [fields[0], '"args": {}']]
        )
    return rng.choice(["{" + ", ".join(fields) + "}"] * 8 + ["[" + ", ".join(fields) + "]", "{" + ", ".join(fields), "", "x"])


def function_call(rng):
    parameters = "".join(
        f"<parameter={rng.choice(['x', 'y', 'é', ' z '])}>\n{rng.choice(VALUES)}\n</parameter>\n"
        for _ in range(rng.randint(0, 3))
    )
    return rng.choice([f"<function={rng.choice(NAMES)}>\n{parameters}</function>"] * 6 + [f"<function=f>{parameters}", "junk"])


def glm_call(rng):
    arguments = "".join(
        f"<arg_key>{rng.choice(['x', 'é', ' y '])}</arg_key>\n<arg_value>{rng.choice(VALUES)}</arg_value>\n"
        for _ in range(rng.randint(0, 3))
    )
    return rng.choice(NAMES) + rng.choice(["\n", "", " "]) + arguments


def calls(rng, name):
    """Text of calls as the family writes them, some of it broken."""
    count = rng.randint(1, 2)
    if name.startswith(("qwen3_5", "qwen3_8", "nemotron3")):
        made = [rng.choice([function_call] * 4 + [json_call])(rng) for _ in range(count)]
        return "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in made)
    if name.startswith("glm"):
        return "".join(f"<tool_call>{glm_call(rng)}</tool_call>" for _ in range(count))
    if name.startswith("kimi"):
        made = "".join(
            f"<|tool_call_begin|>{rng.choice(NUMBERED)}<|tool_call_argument_begin|>{rng.choice([*ARGUMENTS, 'null', '[]', '{', ''])}<|tool_call_end|>"
            for _ in range(count)
        )
        return f"<|tool_calls_section_begin|>{made}<|tool_calls_section_end|>"
    if name.startswith("deepseekv4"):
        parameters = "".join(
            f'<｜DSML｜ parameter name="{rng.choice(["x", "é"])}" string="{rng.choice(["true", "false"])}">{rng.choice(VALUES)}</｜DSML｜ parameter>\n'
            for _ in range(rng.randint(0, 2))
        )
        made = "\n".join(f'<｜DSML｜ invoke name="{rng.choice(NAMES)}">\n{parameters}</｜DSML｜ invoke>' for _ in range(count))
        return f"\n\n<｜DSML｜ calls>\n{made}\n</｜DSML｜ calls>"
    if name.startswith("deepseekv3"):
        made = "".join(
            f"<｜tool▁call▁begin｜>{rng.choice(['f', 'get_weather', 'é1'])}<｜tool▁sep｜>{rng.choice([*ARGUMENTS, '[]', '{'])}<｜tool▁call▁end｜>"
            for _ in range(count)
        )
        return f"<｜tool▁calls▁begin｜>{made}<｜tool▁calls▁end｜>"
    if name.startswith("gpt_oss"):
        return f" to=functions.{rng.choice(NAMES)}<|channel|>commentary <|constrain|>json<|message|>{rng.choice([*ARGUMENTS, '[]', '{'])}<|call|>"
    return "".join(f"<tool_call>\n{json_call(rng)}\n</tool_call>" for _ in range(count))


STOPS = {
    "role_colon": "\n\nUser:", "llama3": "<|eot_id|>", "deepseek": "<｜end▁of▁sentence｜>", "gpt_oss": "<|return|>",
    "glm": "<|user|>",
}


def response(rng, name):
    parts = []
    if name.startswith("gpt_oss") and rng.random() < 0.8:
        for channel in rng.sample(["analysis", "commentary", "final"], rng.randint(1, 3)):
            parts.append(f"<|channel|>{channel}<|message|>{text(rng)}<|end|><|start|>assistant")
    elif rng.random() < 0.6:
        parts.append(rng.choice(["", "", "<think>", "<think>\n"]) + text(rng) + rng.choice(["</think>", "\n</think>\n\n", ""]))
    parts.append(text(rng))
    if rng.random() < 0.5:
        parts.append(calls(rng, name))
    if rng.random() < 0.25:
        parts.append(text(rng))
    stop = next((stop for start, stop in STOPS.items() if name.startswith(start)), "<|im_end|>")
    made = "".join(parts)
    if rng.random() < 0.2:
        made = made[: rng.randint(0, len(made))]
    # Behind a call a GPT-OSS model has ended.
    if "<|call|>" in made:
        return made[: made.index("<|call|>") + len("<|call|>")]
    return made + (stop if rng.random() < 0.8 else "")


def attempt(build):
    try:
        return build()
    except Exception as error:
        return {"error": type(error).__name__}


def document(chunks):
    """Lengths of the chunks that are not empty, and the beginning of the hash of the ids, joined by commas."""
    ids = [id for chunk in chunks for id in chunk.tokens]
    return {
        "lengths": [len(chunk.tokens) for chunk in chunks if chunk.tokens],
        "sha256": hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:16],
    }


def runs(weights):
    found = []
    for weight in weights.tolist():
        if found and found[-1][0] == weight:
            found[-1][1] += 1
        else:
            found.append([weight, 1])
    return found


def rendered(renderer, messages, modes):
    parsed = [
        (
            {
                **message,
                "tool_calls": [
                    ToolCall(id=call["id"], function=ToolCall.FunctionBody(**call["function"]))
                    for call in message["tool_calls"]
                ],
            }
            if "tool_calls" in message
            else message
        )
        for message in messages
    ]
    weights, chunks = {}, None
    for mode in modes:
        example = attempt(lambda: renderer.build_supervised_example(parsed, TrainOnWhat(mode)))
        if not isinstance(example, dict):
            chunks = example[0].chunks
        weights[mode] = example if isinstance(example, dict) else runs(example[1])
    return {
        "prompt": attempt(lambda: document(renderer.build_generation_prompt(parsed[:-1]).chunks)),
        "document": None if chunks is None else document(chunks), "weights": weights,
    }


def declared(renderer, toolbox):
    def prompt():
        prefix = renderer.create_conversation_prefix_with_tools(toolbox["tools"], toolbox["system"])
        return document(renderer.build_generation_prompt([*prefix, {"role": "user", "content": "Hi"}]).chunks)

    return attempt(prompt)


def read(renderer, ids):
    def parse():
        message, termination = renderer.parse_response(ids)
        message = dict(message)
        if "tool_calls" in message:
            message["tool_calls"] = [
                {
                    "type": "function", "id": call.id,
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
                for call in message["tool_calls"]
            ]
        if "unparsed_tool_calls" in message:
            message["unparsed_tool_calls"] = [{"raw_text": call.raw_text} for call in message["unparsed_tool_calls"]]
        return {"message": message, "termination": termination.value}

    return attempt(parse)


def made_renderer(name, tokenizer):
    # The cookbook has this one as a flag and not as a name.
    if name == "qwen3_keep_thinking":
        return Qwen3Renderer(tokenizer, strip_thinking_from_history=False)
    if name.startswith("gpt_oss") and name.endswith("_reasoning"):
        return GptOssRenderer(tokenizer, True, name.removeprefix("gpt_oss_").removesuffix("_reasoning"), CURRENT_DATE)
    return get_renderer(name, tokenizer)


def extended(path):
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        tokenizer = json.load(file)
    tokens = tokenizer["added_tokens"]
    for content in FURTHER_TOKENS:
        id = max(token["id"] for token in tokens) + 1
        tokens.append({**tokens[0], "id": id, "content": content})
    return tokenizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--renderers", default=",".join(RENDERERS))
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    conversations = [conversation(rng) for _ in range(arguments.count)]
    toolboxes = [toolbox(rng) for _ in range(arguments.count)]
    tokenizer = extended(arguments.tokenizer)
    special = {"bos": "<|begin_of_text|>", "eos": "<|endoftext|>"}
    head = {"cookbook": version("tinker_cookbook"), "tokenizer": tokenizer, "special": special}
    print(json.dumps({**head, "conversations": conversations, "toolboxes": toolboxes}))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tokenizer, file)
        file.flush()
        for name in arguments.renderers.split(","):
            is_tml = name == "tml_v0"
            if is_tml and "torch" in sys.modules and not hasattr(sys.modules["torch"], "__version__"):
                continue
            if is_tml:
                loaded = TmlTokenizer()
                renderer = get_renderer(name, loaded.own)
            else:
                loaded = PreTrainedTokenizerFast(tokenizer_file=file.name, bos_token=special["bos"], eos_token=special["eos"])
                renderer = made_renderer(name, loaded)
            responses = []
            for _ in range(arguments.count):
                written = tml_response(rng, text, ARGUMENTS) if is_tml else response(rng, name)
                ids = loaded.encode(written, add_special_tokens=False)
                responses.append({"ids": ids, **read(renderer, ids)})
            modes = TML_MODES if is_tml else MODES
            line = {
                "name": name,
                **({"tokens": loaded.tokens} if is_tml else {}),
                "results": [rendered(renderer, messages, modes) for messages in conversations],
                "declarations": [declared(renderer, toolbox) for toolbox in toolboxes],
                "responses": responses,
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
