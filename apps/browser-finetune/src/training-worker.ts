import { fetchModelFiles, type LoraRun, type OpenedModel, openModel } from "@tinkex/local/engine";
import type { PageMessage, WorkerMessage } from "./messages.js";
import { askWord, fetchWords, heldOutPercent, train, type Words } from "./pig-latin.js";

/** The model with what was made of it so far. */
interface Workshop {
  readonly model: OpenedModel;
  readonly words: Words;
  run?: LoraRun;
}

let opening: Promise<Workshop> | undefined;

const tell = (message: WorkerMessage): void => self.postMessage(message);

async function open(runtime: "auto" | "webgpu" | "wasm"): Promise<Workshop> {
  const [files, words] = await Promise.all([fetchModelFiles("model/"), fetchWords()]);
  const runtimeFolder = new URL("runtime/", self.location.href).href;
  const model = await openModel(files, { runtime, runtimeFolder });
  const { name, threads, reason } = model.runtime;
  tell({ kind: "opened", runtime: name, threads, reason });
  return { model, words };
}

async function answer(message: PageMessage): Promise<void> {
  if (message.kind === "open") opening ??= open(message.runtime);
  const workshop = await opening;
  if (workshop === undefined) return;
  const { model, words } = workshop;
  switch (message.kind) {
    case "open":
      return;
    case "train": {
      const { steps } = message;
      const heldOut = words.heldOut.slice(0, message.heldOut);
      tell({ kind: "scored", percent: await heldOutPercent(model, model, heldOut), when: "before" });
      const startedAtMs = performance.now();
      const run = await train(model, words, message, (step, loss) =>
        tell({ kind: "stepped", step, steps, loss }),
      );
      await workshop.run?.release();
      workshop.run = run;
      tell({ kind: "scored", percent: await heldOutPercent(run, model, heldOut), when: "after" });
      tell({ kind: "trained", seconds: (performance.now() - startedAtMs) / 1000 });
      return;
    }
    case "ask": {
      const { word } = message;
      tell({ kind: "answered", word, answer: await askWord(workshop.run ?? model, model, word) });
    }
  }
}

self.addEventListener("message", (event: MessageEvent<PageMessage>) => {
  answer(event.data).catch((error: unknown) => {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  });
});
