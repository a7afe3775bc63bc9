import { getRenderer } from "../../registry/get-renderer.js";
import { recordedImage } from "../../testing/recorded-image.js";
import { walkRecording } from "../../testing/walk-recording.js";

walkRecording("kimi_k2", (tokenizer) => getRenderer("kimi_k2", tokenizer));

for (const name of ["kimi_k25", "kimi_k25_disable_thinking", "kimi_k26_preserve_thinking"] as const) {
  walkRecording(
    name,
    (tokenizer) => getRenderer(name, tokenizer, { imageProcessor: recordedImage.processor }),
    { adapt: recordedImage.adapt },
  );
}
