/** The tokens around calls of tools in the Kimi family. */
export const KIMI_CALLS = {
  open: "<|tool_calls_section_begin|>",
  close: "<|tool_calls_section_end|>",
  callOpen: "<|tool_call_begin|>",
  argumentsOpen: "<|tool_call_argument_begin|>",
  callClose: "<|tool_call_end|>",
} as const;
