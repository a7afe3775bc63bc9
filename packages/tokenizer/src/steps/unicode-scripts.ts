import { eachOf } from "../text/code-points.js";
import { NO_SCRIPT_IN_9, SCRIPTS } from "../text/scripts-of-9.js";
import type { TextRange } from "../text/text-range.js";

const NO_SCRIPT = eachOf(`[ ${NO_SCRIPT_IN_9}]`);
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/u;
/** Characters whose script was another one in Unicode 9. */
const MOVED: ReadonlyMap<number, string> = new Map([
  [0x589, "Common"],
  [0x61c, "Common"],
  [0x953, "Devanagari"],
  [0x954, "Devanagari"],
]);

/** Makes the cut of a text where the script changes; spaces and unknown characters go with what stands before. (`unicode_scripts/pre_tokenizer.rs`) */
export function scriptCut(): (text: string) => TextRange[] {
  const scriptOf = scriptFinder();
  return (text) => {
    const ranges: TextRange[] = [];
    let last: string | undefined;
    // Text before the first character of a script is lost, as in Rust.
    let start = -1;
    let at = 0;
    for (const character of text) {
      const script = scriptOf(character);
      if (script !== undefined && script !== last) {
        if (start !== -1) ranges.push({ start, end: at });
        start = at;
        last = script;
      }
      at += character.length;
    }
    if (start !== -1) ranges.push({ start, end: at });
    return ranges;
  };
}

/** Makes the look-up of a character's script, which remembers. */
function scriptFinder(): (character: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const tests = SCRIPTS.map((name) => ({ name, expression: eachOf(`\\p{Script=${name}}`) }));
  const find = (character: string): string | undefined => {
    if (character.search(NO_SCRIPT) === 0) return undefined;
    if (JAPANESE.test(character)) return "Han";
    const moved = MOVED.get(character.codePointAt(0) ?? 0);
    return moved ?? tests.find(({ expression }) => character.search(expression) === 0)?.name;
  };
  return (character) => {
    if (known.has(character)) return known.get(character);
    const script = find(character);
    known.set(character, script);
    return script;
  };
}
