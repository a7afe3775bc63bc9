"""Conversations in which a tool is called, in the layouts of two families of renderers: Qwen3 (JSON) and Qwen3.5 (XML)."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from conversations import Row


@dataclass(frozen=True)
class Tool:
    """A function of words or of numbers, with its parameters and their JSON types."""

    name: str
    description: str
    parameters: dict[str, str]

    @property
    def declaration(self) -> dict:
        properties = {name: {"type": kind} for name, kind in self.parameters.items()}
        schema = {"type": "object", "properties": properties, "required": list(self.parameters)}
        return {"name": self.name, "description": self.description, "parameters": schema}


@dataclass(frozen=True)
class ToolCase:
    """A question, the call that answers it, and its result, which is the answer."""

    tool: Tool
    question: str
    arguments: dict[str, str | int]
    result: str


ADD = Tool("add", "Adds two numbers.", {"x": "integer", "y": "integer"})
REVERSE = Tool("reverse", "Writes a word backwards.", {"word": "string"})
LENGTH = Tool("count_letters", "Counts the letters of a word.", {"word": "string"})
TOOLS = (ADD, REVERSE, LENGTH)

QWEN_3_BEFORE = """# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
"""
QWEN_3_BEHIND = """
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>"""
QWEN_3_5_BEFORE = """# Tools

You have access to the following functions:

<tools>
"""
QWEN_3_5_BEHIND = """
</tools>

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>"""
EMPTY_THINKING = "<think>\n\n</think>\n\n"


@dataclass(frozen=True)
class ToolLayout:
    """How a family writes the tools of the system message, a call, and what is given before the assistant speaks."""

    system: Callable[[Sequence[Tool]], str]
    call: Callable[[ToolCase], str]
    openings: tuple[str, ...]


def qwen_3_system(tools: Sequence[Tool]) -> str:
    lines = [json.dumps({"type": "function", "function": tool.declaration}) for tool in tools]
    return QWEN_3_BEFORE + "\n".join(lines) + QWEN_3_BEHIND


def qwen_3_call(case: ToolCase) -> str:
    return f"<tool_call>\n{json.dumps({'name': case.tool.name, 'arguments': case.arguments})}\n</tool_call>"


def qwen_3_5_system(tools: Sequence[Tool]) -> str:
    return QWEN_3_5_BEFORE + "\n".join(json.dumps(tool.declaration) for tool in tools) + QWEN_3_5_BEHIND


def qwen_3_5_call(case: ToolCase) -> str:
    parameters = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in case.arguments.items())
    return f"<tool_call>\n<function={case.tool.name}>\n{parameters}</function>\n</tool_call>"


QWEN_3 = ToolLayout(qwen_3_system, qwen_3_call, ("", EMPTY_THINKING))
QWEN_3_5 = ToolLayout(qwen_3_5_system, qwen_3_5_call, (EMPTY_THINKING,))


def draw_case(random: Random, word: str) -> ToolCase:
    tool = random.choice(TOOLS)
    if tool is ADD:
        x, y = random.randint(0, 100), random.randint(0, 100)
        return ToolCase(tool, f"What is {x} + {y}?", {"x": x, "y": y}, str(x + y))
    if tool is REVERSE:
        return ToolCase(tool, f"Write {word} backwards.", {"word": word}, word[::-1])
    return ToolCase(tool, f"How many letters has {word}?", {"word": word}, str(len(word)))


def tool_row(random: Random, layout: ToolLayout, word: str) -> Row:
    """A question, the call, the tool's answer and the assistant's; what the assistant says counts."""
    case = draw_case(random, word)
    tools = [case.tool, *random.sample([tool for tool in TOOLS if tool is not case.tool], random.randint(0, 1))]
    random.shuffle(tools)
    opening = random.choice(layout.openings)
    row = Row()
    row.add(f"<|im_start|>system\n{layout.system(tools)}<|im_end|>\n", False)
    row.add(f"<|im_start|>user\n{case.question}<|im_end|>\n<|im_start|>assistant\n{opening}", False)
    row.add(f"{layout.call(case)}<|im_end|>", True)
    if opening == EMPTY_THINKING and layout is QWEN_3:
        return row  # Qwen3's renderer leaves the empty block out of an answer that has been given.
    row.add(f"\n<|im_start|>user\n<tool_response>\n{case.result}\n</tool_response><|im_end|>\n", False)
    row.add(f"<|im_start|>assistant\n{opening}", False)
    row.add(f"{case.result}<|im_end|>", True)
    return row
