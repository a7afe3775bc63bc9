import type { PageMessage, WorkerMessage } from "./messages.js";

/** Steps after which the held-out words are right. */
const STEPS = 90;
const SEED = 1;
const HELD_OUT = 100;

const CURVE = { width: 300, height: 80 } as const;

/** Finds an element of `page.html`. */
function element<T extends Element>(selector: string, kind: { new (): T }): T {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`the page must have ${selector} as a ${kind.name}`);
}

const trainButton = element("#train", HTMLButtonElement);
const status = element("#status", HTMLElement);
const progress = element("#progress", HTMLProgressElement);
const loss = element("#loss", HTMLOutputElement);
const curve = element("#curve polyline", SVGPolylineElement);
const word = element("#word", HTMLInputElement);
const askButton = element("#ask button", HTMLButtonElement);
const answer = element("#answer", HTMLOutputElement);
const scores = { before: element("#before", HTMLOutputElement), after: element("#score", HTMLOutputElement) };

const query = new URLSearchParams(location.search);
const worker = new Worker("training-worker.js", { type: "module" });
const tell = (message: PageMessage): void => worker.postMessage(message);

let losses: number[] = [];

function drawCurve(): void {
  const highest = Math.max(...losses);
  const points = losses.map((value, index) => {
    const x = (index / Math.max(1, losses.length - 1)) * CURVE.width;
    return `${x.toFixed(1)},${((1 - value / highest) * CURVE.height).toFixed(1)}`;
  });
  curve.setAttribute("points", points.join(" "));
}

function allow(isIdle: boolean): void {
  for (const control of [trainButton, word, askButton]) control.disabled = !isIdle;
}

function show(message: WorkerMessage): void {
  switch (message.kind) {
    case "opened":
      status.textContent = `ready: ${message.runtime}, ${message.threads} threads (${message.reason})`;
      allow(true);
      return;
    case "scored":
      scores[message.when].textContent = `${message.percent.toFixed(0)} %`;
      return;
    case "stepped":
      losses.push(message.loss);
      status.textContent = `step ${message.step} of ${message.steps}`;
      progress.value = message.step / message.steps;
      loss.textContent = `loss ${message.loss.toFixed(3)}`;
      drawCurve();
      return;
    case "trained":
      status.textContent = `trained and scored in ${message.seconds.toFixed(1)} s`;
      allow(true);
      return;
    case "answered":
      answer.textContent = message.answer;
      allow(true);
      return;
    case "failed":
      status.textContent = `failed: ${message.message}`;
  }
}

worker.addEventListener("message", (event: MessageEvent<WorkerMessage>) => show(event.data));
worker.addEventListener("error", ({ message }) => show({ kind: "failed", message }));

trainButton.addEventListener("click", () => {
  allow(false);
  losses = [];
  status.textContent = "asking the held-out words";
  tell({
    kind: "train",
    steps: Number(query.get("steps") ?? STEPS),
    seed: Number(query.get("seed") ?? SEED),
    heldOut: Number(query.get("held-out") ?? HELD_OUT),
  });
});

element("#ask", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  allow(false);
  tell({ kind: "ask", word: word.value });
});

const wished = query.get("runtime");
tell({ kind: "open", runtime: wished === "wasm" || wished === "webgpu" ? wished : "auto" });
