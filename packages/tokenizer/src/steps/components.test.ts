import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseTokenizerJson } from "../file-format/tokenizer-json.js";
import { createEngine, type Engine } from "../tokenizer/engine.js";
import { createDecoder } from "./decoder.js";
import { createNormalizer } from "./normalizer.js";
import { createPreTokenizer } from "./pre-tokenizer.js";

/** Recorded by `fixtures/components/record.py` with Python's `tokenizers`. */
interface Recorded {
  readonly contexts: readonly string[];
  readonly decoded: readonly string[];
  readonly blocks: readonly (readonly [start: number, end: number, step: number])[];
  readonly parts: readonly {
    readonly section: string;
    readonly part: { readonly type: string };
    readonly hashes: string;
  }[];
}

const SECTIONS = ["normalizer", "pre_tokenizer", "decoder", "model"] as const;
const fixtures = new URL("../../fixtures/components/", import.meta.url);
/** Of every code point where someone has recorded it (`record.py --all`), else of those that are not all of a kind. */
const recorded: readonly Recorded[] = SECTIONS.map((section) => {
  const whole = new URL(`recorded-${section}-all.json`, fixtures);
  const path = existsSync(whole) ? whole : new URL(`recorded-${section}.json`, fixtures);
  return JSON.parse(readFileSync(path, "utf8"));
});

/** All blocks with TINKEX_ALL_CODE_POINTS=1; else those of which most parts have much to say, and by turns each other one. */
const isWhole = process.env.TINKEX_ALL_CODE_POINTS === "1";
const MANY_CLASSES = [0];
const TURNS = 137;

function isTested(start: number, block: number, part: number): boolean {
  return isWhole || MANY_CLASSES.includes(start) || (start < 0x40000 && (block + part) % TURNS === 0);
}

/** Makes what Python's `record.py` makes of a character in its contexts, as text. */
function runner(
  { contexts, decoded }: Recorded,
  section: string,
  part: object,
): (character: string) => string {
  const inContexts = (character: string) =>
    contexts.map((context) => context.replaceAll("{}", character)).join("|");
  switch (section) {
    case "normalizer": {
      const normalize = createNormalizer(part);
      return (character) => normalize(inContexts(character));
    }
    case "pre_tokenizer": {
      const { split, spell } = createPreTokenizer(part);
      return (character) => split(inContexts(character), true).map(spell).join("\u001f");
    }
    case "decoder": {
      const decoder = createDecoder(part);
      return (character) => {
        const decoding = decoder();
        const tokens = decoded.map((token) => token.replaceAll("{}", character));
        return [...tokens.flatMap((token) => decoding.push(token)), ...decoding.end()].join("");
      };
    }
    default: {
      const engine: Engine = createEngine(parseTokenizerJson({ model: part }));
      return (character) => engine.encode(inContexts(character), true).join(",");
    }
  }
}

// Engines of older versions know fewer characters than Rust's standard library (Unicode 17).
const isNew = Number.parseFloat(process.versions.unicode ?? "0") >= 17;

describe.runIf(isNew)("each kind of part makes of every code point what Python's tokenizers make", () => {
  const rows = recorded.flatMap((file) =>
    file.parts.map(({ section, part, hashes }) => ({ file, section, part, hashes })),
  );
  it.each(rows.map((row, index) => ({ ...row, index, name: JSON.stringify(row.part).slice(0, 90) })))(
    "$section $index $name",
    ({ file, index, section, part, hashes }) => {
      const run = runner(file, section, part);
      const differing = file.blocks
        .filter(([start, end, step], block) => {
          if (!isTested(start, block, index)) return false;
          const hash = createHash("sha1");
          for (let point = start; point < end; point += step) {
            if (point < 0xd800 || point > 0xdfff) hash.update(`${run(String.fromCodePoint(point))}\n`);
          }
          return hash.digest("hex").slice(0, 8) !== hashes.slice(block * 8, block * 8 + 8);
        })
        .map(([start, end]) => `${start.toString(16)}-${(end - 1).toString(16)}`);
      expect(differing).toEqual([]);
    },
  );
});
