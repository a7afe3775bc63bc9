import { getRenderer } from "../../registry/get-renderer.js";
import { walkRecording } from "../../testing/walk-recording.js";

for (const name of ["deepseekv4_1", "deepseekv4_1_disable_thinking"] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}
