import type { TextRange } from "../text/text-range.js";

/** Stretches of a text on their way to the model, in order and none of them empty. */
export interface Words {
  readonly texts: readonly string[];
  /** True where the first of them begins where the text given begins. */
  readonly startsText: boolean;
}

/** Step of a pre-tokenizer. */
export type WordStep = (words: Words) => Words;

/** Makes the step that cuts each word into stretches of it. */
export function cutEach(cut: (text: string) => Iterable<TextRange>): WordStep {
  return (words) => {
    const texts: string[] = [];
    let startsText = false;
    for (const [index, text] of words.texts.entries()) {
      for (const { start, end } of cut(text)) {
        if (end <= start) continue;
        if (texts.length === 0) startsText = words.startsText && index === 0 && start === 0;
        texts.push(text.slice(start, end));
      }
    }
    return { texts, startsText };
  };
}

/** Makes the step that changes each word where it stands. */
export function changeEach(change: (text: string, startsText: boolean) => string): WordStep {
  return ({ texts, startsText }) => ({
    texts: texts.map((text, index) => change(text, startsText && index === 0)),
    startsText,
  });
}
