import { isWhiteSpace, type Stripped } from "../values/python-text.js";

/** The ranges that `split(separator, most)` gives; at most so many cuts are made, any number below zero. */
export function splitRanges(text: string, separator: string, most: number): Stripped[] {
  const ranges: Stripped[] = [];
  let start = 0;
  for (let cuts = 0; most < 0 || cuts < most; cuts += 1) {
    const end = text.indexOf(separator, start);
    if (end === -1) break;
    ranges.push({ start, end });
    start = end + separator.length;
  }
  ranges.push({ start, end: text.length });
  return ranges;
}

/** The same from the end on, the ranges in order. */
export function splitRangesFromEnd(text: string, separator: string, most: number): Stripped[] {
  const ranges: Stripped[] = [];
  let end = text.length;
  for (let cuts = 0; most < 0 || cuts < most; cuts += 1) {
    const found = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length);
    if (found === -1) break;
    ranges.push({ start: found + separator.length, end });
    end = found;
  }
  ranges.push({ start: 0, end });
  return ranges.reverse();
}

/** The ranges of words, of which the last one has the rest of the text once `most` cuts are made. */
export function wordRanges(text: string, most: number): Stripped[] {
  const ranges: Stripped[] = [];
  const isSpace = (at: number) => isWhiteSpace(text.charCodeAt(at));
  let at = 0;
  for (;;) {
    while (at < text.length && isSpace(at)) at += 1;
    if (at >= text.length) return ranges;
    if (most >= 0 && ranges.length >= most) {
      ranges.push({ start: at, end: text.length });
      return ranges;
    }
    const start = at;
    while (at < text.length && !isSpace(at)) at += 1;
    ranges.push({ start, end: at });
  }
}

/** The same from the end on, the ranges in order. */
export function wordRangesFromEnd(text: string, most: number): Stripped[] {
  if (most < 0) return wordRanges(text, most);
  const ranges: Stripped[] = [];
  const isSpace = (at: number) => isWhiteSpace(text.charCodeAt(at));
  let end = text.length;
  for (;;) {
    while (end > 0 && isSpace(end - 1)) end -= 1;
    if (end === 0) return ranges.reverse();
    if (ranges.length >= most) {
      ranges.push({ start: 0, end });
      return ranges.reverse();
    }
    const last = end;
    while (end > 0 && !isSpace(end - 1)) end -= 1;
    ranges.push({ start: end, end: last });
  }
}
