import { getRenderer } from "../../registry/get-renderer.js";
import { recordedImage } from "../../testing/recorded-image.js";
import { walkRecording } from "../../testing/walk-recording.js";

for (const name of [
  "qwen3_5",
  "qwen3_5_disable_thinking",
  "qwen3_5_preserve_thinking",
  "qwen3_8_xhigh_reasoning",
  "qwen3_8_medium_reasoning",
  "qwen3_8_disable_thinking",
] as const) {
  walkRecording(
    name,
    (tokenizer) => getRenderer(name, tokenizer, { imageProcessor: recordedImage.processor }),
    {
      adapt: recordedImage.adapt,
    },
  );
}
