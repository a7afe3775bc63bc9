import { getRenderer } from "../registry/get-renderer.js";
import { walkRecording } from "../testing/walk-recording.js";

const toolCalls = "it has no way to show calls of tools";
const refused = {
  tool_round: toolCalls,
  tool_round_text_before_call: toolCalls,
  tool_parallel: toolCalls,
  tool_pending: toolCalls,
};

for (const name of ["role_colon.qwen3", "role_colon.llama3"]) {
  walkRecording(name, (tokenizer) => getRenderer("role_colon", tokenizer), { refused });
}
