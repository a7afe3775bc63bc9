import { getRenderer } from "../registry/get-renderer.js";
import { walkRecording } from "../testing/walk-recording.js";

for (const name of ["glm5_3_max_reasoning", "glm5_3_low_reasoning"] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}
