"""Writes the prompts that tinker-cookbook's renderers make of a sum and of questions with tools, for tests of pocket-2.

Usage: python record_prompts.py --model ../../packages/local/models/pocket-2 --out ../../packages/local/fixtures/pocket-2-prompts.json
Needs a Python with tinker-cookbook 0.6.1 and transformers besides the requirements.
"""

import argparse
import json
from pathlib import Path

from tinker_cookbook import renderers
from transformers import PreTrainedTokenizerFast

from sum_questions import EXAMPLE, QUESTION
from tool_tasks import ADD, QWEN_3, QWEN_3_5, REVERSE, ToolCase

SUM_RENDERERS = ("role_colon", "qwen3_instruct", "qwen3_disable_thinking", "llama3")
TOOL_RENDERERS = {"qwen3_instruct": QWEN_3, "qwen3_5_disable_thinking": QWEN_3_5}
CASES = (
    ToolCase(ADD, QUESTION.format(x=58, y=27), {"x": 58, "y": 27}, "85"),
    ToolCase(REVERSE, "Write garden backwards.", {"word": "garden"}, "nedrag"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(arguments.model)

    def prompt(renderer: renderers.Renderer, messages: list[dict]) -> str:
        return tokenizer.decode(renderer.build_generation_prompt(messages).to_ints(), clean_up_tokenization_spaces=False)

    sums, tools = {}, []
    example = [{"role": turn.role, "content": turn.text} for turn in EXAMPLE]
    for name in SUM_RENDERERS:
        renderer = renderers.get_renderer(name, tokenizer=tokenizer)
        question = [{"role": "user", "content": QUESTION}]
        stops = renderer.get_stop_sequences()
        ends = [stop if isinstance(stop, str) else tokenizer.decode([stop]) for stop in stops]
        sums[name] = {"plain": prompt(renderer, question), "with_example": prompt(renderer, [*example, *question]), "ends": ends}
    for name, layout in TOOL_RENDERERS.items():
        renderer = renderers.get_renderer(name, tokenizer=tokenizer)
        for case in CASES:
            asked = [
                *renderer.create_conversation_prefix_with_tools([case.tool.declaration], ""),
                {"role": "user", "content": case.question},
            ]
            opening = layout.call(case).split(str(next(iter(case.arguments.values()))))[0]
            tools.append({"renderer": name, "tool": case.tool.name, "prompt": prompt(renderer, asked), "opening": opening})
    arguments.out.write_text(json.dumps({"sums": sums, "tools": tools}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
