/** Tokens of authors by role. What declares tools is the system's. */
export const TML_AUTHORS: Readonly<Record<string, string>> & { readonly system: string } = {
  user: "<|message_user|>",
  assistant: "<|message_model|>",
  system: "<|message_system|>",
  tool: "<|message_tool|>",
};

/** Tokens of the kinds of content that are written here. */
export const TML_CONTENTS = {
  text: "<|content_text|>",
  thinking: "<|content_thinking|>",
  call: "<|content_invoke_tool_json|>",
  xml: "<|content_xml|>",
} as const;

/** Token of a tool's error, which is read as text. */
export const TML_TOOL_ERROR = "<|content_tool_error|>";

/** Tokens of further kinds, which no message has a form for. */
export const TML_OTHER_CONTENTS = [
  "<|content_invoke_tool_text|>",
  "<|content_image|>",
  "<|content_audio_input|>",
] as const;

/** End of a part. */
export const TML_END = "<|end_message|>";

/** End of what the model says. */
export const TML_STOP = "<|content_model_end_sampling|>";
