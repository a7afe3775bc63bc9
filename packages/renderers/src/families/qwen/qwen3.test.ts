import { getRenderer } from "../../registry/get-renderer.js";
import { walkRecording } from "../../testing/walk-recording.js";

for (const name of ["qwen3", "qwen3_disable_thinking", "qwen3_instruct", "qwen3_keep_thinking"] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}
