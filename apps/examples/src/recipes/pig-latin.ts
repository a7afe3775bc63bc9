import { readFileSync } from "node:fs";

/** Words of a file of pairs, such as `pig-latin-train.jsonl`. */
export function wordsOf(file: "pig-latin-train" | "pig-latin-held-out"): readonly string[] {
  const path = new URL(`../../data/${file}.jsonl`, import.meta.url);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => /Pig Latin: (\w+)/.exec(line)?.[1] ?? "");
}

/** Puts the consonants in front of a word behind it: `planet` is `anetplay`, `absence` is `absenceway`. */
export function pigLatin(word: string): string {
  const start = [...word].findIndex((letter) => "aeiou".includes(letter));
  return start <= 0 ? `${word}way` : `${word.slice(start)}${word.slice(0, start)}ay`;
}

/** Likeness of two texts, from 0 to 1: their edit distance over the length of the longer one, taken from 1. */
export function similarity(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [place, other] of [...b].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[place + 1], row[place], next[place]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return 1 - (row[b.length] ?? 0) / Math.max(a.length, b.length, 1);
}
