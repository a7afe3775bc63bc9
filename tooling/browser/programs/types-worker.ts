// A module worker: answers each message with what `run` makes of it.
import { type Input, run } from "./types.js";

addEventListener("message", ({ data }: MessageEvent<Input>) => postMessage(run(data)));
