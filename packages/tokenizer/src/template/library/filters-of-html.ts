import { escapeHtml, isTrue } from "../operations/operators.js";
import { textOf } from "../printing/print-value.js";
import { textArgument, wholeArgument } from "../values/arguments.js";
import { iterate } from "../values/iterate.js";
import { compareTexts, isWhiteSpace } from "../values/python-text.js";
import { bind, type Run } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { convertText, plain, type TextValue } from "../values/text.js";
import { Dict, Markup, NONE, typeName, Undefined, type Value } from "../values/values.js";
import type { Filter } from "./filters.js";
import { linkAddresses } from "./link-addresses.js";
import { stripTags } from "./strip-tags.js";

const safe: Filter = (value, given, run) => {
  bind("safe", given, []);
  return value instanceof Markup ? value : new Markup(textOf(value, run));
};

const htmlEscape: Filter = (value, given, run) => {
  bind("escape", given, []);
  return value instanceof Markup ? value : new Markup(escapeHtml(textOf(value, run), run));
};

const forceEscape: Filter = (value, given, run) => {
  bind("forceescape", given, []);
  return new Markup(escapeHtml(textOf(value, run), run));
};

/** A value as HTML: what 'safe' made as it is, the rest escaped. */
function asHtml(value: Value, run: Run): TextValue {
  return value instanceof Markup ? value.text : escapeHtml(textOf(value, run), run);
}

const striptags: Filter = (value, given, run) => {
  bind("striptags", given, []);
  const text = textOf(value, run);
  run.budget.allocate(48 + 40 * plain(text).length, "striptags");
  return convertText(text, stripTags);
};

/** The part of `rel` that jinja2 adds to every link. */
const LINK_RELATION = "noopener";

const urlize: Filter = (value, given, run) => {
  const {
    trim_url_limit = NONE,
    nofollow = false,
    target = NONE,
    rel = NONE,
    extra_schemes = NONE,
  } = bind("urlize", given, ["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"]);
  const relations = new Set([
    LINK_RELATION,
    ...(isTrue(rel) ? wordsOf(plain(textArgument("urlize", rel))) : []),
  ]);
  if (isTrue(nofollow)) relations.add("nofollow");
  const attributes = [attribute("rel", [...relations].sort(compareTexts).join(" "), run)];
  if (isTrue(target)) attributes.push(attribute("target", target, run));
  const schemes =
    extra_schemes === NONE ? [] : [...iterate(extra_schemes, run.budget, "urlize")].map(schemeOf);
  const html = asHtml(value, run);
  const form = {
    limit: trim_url_limit === NONE ? undefined : wholeArgument("urlize", trim_url_limit, 0),
    attributes: attributes.join(""),
    schemes,
  };
  run.budget.allocate(48 + 40 * plain(html).length, "urlize");
  run.budget.spend(plain(html).length * (1 + schemes.length), "urlize");
  // Only what has one of these signs becomes a link.
  const signs = plain(html).match(/[.:@]/g)?.length ?? 0;
  run.budget.allocate(signs * (80 + 2 * form.attributes.length), "urlize");
  return convertText(html, (text) => linkAddresses(text, form));
};

function attribute(name: string, value: Value, run: Run): string {
  return ` ${name}="${plain(asHtml(value, run))}"`;
}

function wordsOf(text: string): string[] {
  return Array.from(text, (character) => (isWhiteSpace(character.charCodeAt(0)) ? " " : character))
    .join("")
    .split(" ")
    .filter((word) => word !== "");
}

function schemeOf(value: Value): string {
  const scheme = plain(textArgument("urlize", value));
  if (!/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(scheme))
    throw new TemplateError("'urlize' needs schemes such as 'ftp://', got another text");
  return scheme;
}

const xmlattr: Filter = (value, given, run) => {
  const { autospace = true } = bind("xmlattr", given, ["autospace"]);
  if (value instanceof Undefined) throw new TemplateError(value.message);
  if (!(value instanceof Dict))
    throw new TemplateError(`'xmlattr' needs a dictionary, got a ${typeName(value)}`);
  const parts: TextValue[] = [];
  for (const [key, item] of value.entries()) {
    if (item === NONE || item instanceof Undefined) continue;
    const name = textArgument("xmlattr", key);
    if (/[ \t\n\r\f\v/>=]/.test(plain(name)))
      throw new TemplateError("'xmlattr' got a name that no attribute can have");
    if (parts.length > 0 || isTrue(autospace)) parts.push(" ");
    parts.push(escapeHtml(name, run), '="', asHtml(item, run), '"');
  }
  return run.join(parts, "xmlattr");
};

/** The filters of jinja2 that read and write HTML. */
export const HTML_FILTERS: readonly (readonly [string, Filter])[] = [
  ["safe", safe],
  ["e", htmlEscape],
  ["escape", htmlEscape],
  ["forceescape", forceEscape],
  ["striptags", striptags],
  ["urlize", urlize],
  ["xmlattr", xmlattr],
];
