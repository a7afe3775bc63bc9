import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

type Row = Readonly<Record<string, unknown>>;

/** A data set under its name on the hub, small enough to be made up: splits of each configuration. */
type HubDataset = Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>>;

/** As many rows as two batches of the recipes need, whose size some of them fix; a test on less than a batch is NaN. */
const SUMS = Array.from({ length: 256 }, (_, index) => ({ x: (index * 7) % 10, y: (index * 3) % 10 }));

const chats = SUMS.map(({ x, y }) => ({
  messages: [
    { role: "user", content: `What is ${x} + ${y}?` },
    { role: "assistant", content: `${x + y}` },
  ],
}));

/** Problems of primary school, with the answer behind `####` as in GSM8K. */
const problems = SUMS.map(({ x, y }) => ({
  question: `Add ${x} and ${y}.`,
  answer: `${x} + ${y} = ${x + y}\n#### ${x + y}`,
}));

const preferences = SUMS.map(({ x, y }) => ({
  chosen: `\n\nHuman: What is ${x} + ${y}?\n\nAssistant: ${x + y}`,
  rejected: `\n\nHuman: What is ${x} + ${y}?\n\nAssistant: I do not know`,
}));

const choices = SUMS.map(({ x, y }) => ({
  question: `What is ${x} + ${y}?`,
  choices: { label: ["A", "B"], text: [`${x + y}`, `${x + y + 1}`] },
  answerKey: "A",
  domain: "Chemistry",
  type: "mcq-4-choices",
  details: { level: "L3" },
}));

/** Everything that the recipes load, by its name on the hub. */
const DATASETS: Readonly<Record<string, HubDataset>> = {
  "HuggingFaceH4/no_robots": { default: { train: chats, test: chats } },
  "openai/gsm8k": { main: { train: problems, test: problems.slice(0, 8) } },
  "Anthropic/hh-rlhf": { default: { train: preferences, test: preferences.slice(0, 8) } },
  "zwhe99/DeepMath-103K": { default: { train: problems.map(({ question }) => ({ question })) } },
  "hicai-zju/SciKnowEval": { default: { test: choices } },
};

/**
 * Writes the data sets into a folder. `datasets.load_dataset` takes a folder that is named as it is asked for, below the working
 * directory, for the data set of the hub.
 */
export function writeHubDatasets(folder: string): void {
  for (const [name, configurations] of Object.entries(DATASETS)) {
    const lines = ["---", "configs:"];
    for (const [configuration, splits] of Object.entries(configurations)) {
      lines.push(`- config_name: ${configuration}`, "  data_files:");
      for (const [split, rows] of Object.entries(splits)) {
        const path = `${configuration}/${split}.jsonl`;
        lines.push(`  - split: ${split}`, `    path: ${path}`);
        write(join(folder, name, path), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      }
    }
    write(join(folder, name, "README.md"), [...lines, "---", ""].join("\n"));
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
