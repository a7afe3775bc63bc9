import { getRenderer } from "../registry/get-renderer.js";
import { walkRecording } from "../testing/walk-recording.js";

const toolCalls = "it has no way to show calls of tools";

walkRecording("llama3", (tokenizer) => getRenderer("llama3", tokenizer), {
  refused: {
    tool_round: toolCalls,
    tool_round_text_before_call: toolCalls,
    tool_parallel: toolCalls,
    tool_pending: toolCalls,
  },
});
