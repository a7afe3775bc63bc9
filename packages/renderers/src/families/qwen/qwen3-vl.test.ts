import { getRenderer } from "../../registry/get-renderer.js";
import { recordedImage } from "../../testing/recorded-image.js";
import { walkRecording } from "../../testing/walk-recording.js";

for (const name of ["qwen3_vl", "qwen3_vl_instruct"] as const) {
  walkRecording(
    name,
    (tokenizer) => getRenderer(name, tokenizer, { imageProcessor: recordedImage.processor }),
    { adapt: recordedImage.adapt },
  );
}
