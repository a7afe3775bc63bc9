import { isWhiteSpace } from "../values/python-text.js";
import { unsupported } from "../values/template-error.js";

/** Form of the links that `urlize` writes; all texts are HTML. */
export interface LinkForm {
  /** Most characters of an address that are shown. */
  readonly limit: number | undefined;
  /** Attributes of a link, with a space before each. */
  readonly attributes: string;
  readonly schemes: readonly string[];
}

/** Makes links of the addresses in a text of HTML, as jinja2's `urlize` does. */
export function linkAddresses(html: string, form: LinkForm): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at <= html.length; at += 1) {
    if (at < html.length && !isWhiteSpace(html.charCodeAt(at))) continue;
    if (at > start) parts.push(linkWord(html.slice(start, at), form));
    parts.push(html.charAt(at));
    start = at + 1;
  }
  return parts.join("");
}

const PAIRS = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

function linkWord(word: string, form: LinkForm): string {
  const head = /^(?:[(<]|&lt;)*/.exec(word)?.[0] ?? "";
  let middle = word.slice(head.length);
  let end = middle.length;
  for (let length = endingAt(middle, end); length > 0; length = endingAt(middle, end)) end -= length;
  let tail = middle.slice(end);
  middle = middle.slice(0, end);
  for (const [opening, closing] of PAIRS) {
    const missing = countOf(middle, opening) - countOf(middle, closing);
    if (missing <= 0) continue;
    const taken = endOfNth(tail, closing, Math.min(countOf(middle, opening), countOf(tail, closing)));
    middle += tail.slice(0, taken);
    tail = tail.slice(taken);
  }
  return head + link(middle, form) + tail;
}

/** The length of what does not belong to an address at its end, such as a full stop. */
function endingAt(text: string, end: number): number {
  if (end > 0 && ")>.,".includes(text.charAt(end - 1))) return 1;
  return text.endsWith("&gt;", end) ? 4 : 0;
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

function endOfNth(text: string, part: string, count: number): number {
  let end = 0;
  for (let found = 0; found < count; found += 1) end = text.indexOf(part, end) + part.length;
  return end;
}

const LABEL = /^[\p{L}\p{N}_%-]+$/u;
const LONG_LABEL = /^[\p{L}\p{N}_%-]{2,63}$/u;
const LAST_LABEL = /^(?:[a-z]{2,63}|xn--[\p{L}\p{N}_%]{2,59})$/iu;
const KNOWN_LAST_LABEL = /^(?:com|net|int|edu|gov|org|info|mil)$/i;
const NUMBERS = /^\p{Nd}{1,3}\.\p{Nd}{1,3}\.\p{Nd}{1,3}\.\p{Nd}{1,3}$/u;
const LONG_NUMBERS = /^\[(?:[\p{Nd}a-f]{0,4}:){2}(?:[\p{Nd}a-f]{0,4}:?){1,6}\]$/iu;

/** Says whether a word is an address: with a scheme or `www.`, or of a domain that everybody knows. */
function isAddress(word: string): boolean {
  const prefix = /^(?:https?:\/\/|www\.)/i.exec(word)?.[0] ?? "";
  const host = hostOf(word.slice(prefix.length));
  if (prefix !== "" && isDomain(host, LABEL, LAST_LABEL)) return true;
  if (prefix.endsWith("/")) return NUMBERS.test(host) || LONG_NUMBERS.test(host);
  const whole = hostOf(word);
  return whole.includes(".") && isDomain(whole, LONG_LABEL, KNOWN_LAST_LABEL);
}

/** The beginning of an address, up to its port or path. */
function hostOf(address: string): string {
  const end = address.search(/[/?#]/);
  const authority = end === -1 ? address : address.slice(0, end);
  const port = /^:\p{Nd}{1,5}$/u.test(authority.slice(authority.lastIndexOf(":")));
  return port ? authority.slice(0, authority.lastIndexOf(":")) : authority;
}

function isDomain(host: string, label: RegExp, lastLabel: RegExp): boolean {
  const labels = host.split(".");
  const last = labels.pop() ?? "";
  return lastLabel.test(last) && labels.every((each) => label.test(each));
}

/** Letters that Python takes for the case of i where a pattern has none, and JavaScript does not. */
const OTHER_CASES_OF_I = /[\u0130\u0131]/;

function link(address: string, { limit, attributes, schemes }: LinkForm): string {
  if (OTHER_CASES_OF_I.test(address)) throw unsupported("'urlize' of a word with a Turkish i");
  if (isAddress(address)) {
    const hasScheme = address.startsWith("https://") || address.startsWith("http://");
    const shown = limit === undefined ? address : shortened(address, limit);
    return `<a href="${hasScheme ? "" : "https://"}${address}"${attributes}>${shown}</a>`;
  }
  if (address.startsWith("mailto:") && isMail(address.slice(7)))
    return `<a href="${address}">${address.slice(7)}</a>`;
  if (/^(?!@|www\.)[^:]*$/s.test(address) && isMail(address))
    return `<a href="mailto:${address}">${address}</a>`;
  return schemes.reduce(
    (text, scheme) =>
      text !== scheme && text.startsWith(scheme) ? `<a href="${text}"${attributes}>${text}</a>` : text,
    address,
  );
}

function shortened(text: string, limit: number): string {
  const characters = Array.from(text);
  return characters.length > limit ? `${characters.slice(0, limit).join("")}...` : text;
}

/** Says whether a word has the form of an address of mail. */
function isMail(word: string): boolean {
  const at = word.lastIndexOf("@");
  const domain = word.slice(at + 1);
  const point = domain.lastIndexOf(".");
  return (
    at > 0 &&
    point > 0 &&
    /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(domain.slice(0, point)) &&
    /^[\p{L}\p{N}_]+$/u.test(domain.slice(point + 1))
  );
}
