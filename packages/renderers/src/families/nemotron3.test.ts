import { getRenderer } from "../registry/get-renderer.js";
import { walkRecording } from "../testing/walk-recording.js";

for (const name of [
  "nemotron3",
  "nemotron3_disable_thinking",
  "nemotron3_preserve_thinking",
  "nemotron3_ultra",
  "nemotron3_ultra_disable_thinking",
] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}
