import { type AST, parseRegExpLiteral } from "@eslint-community/regexpp";

/** A text that is grown by repeating its middle. */
export interface HostileInput {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/** Repeats beyond this are taken for unbounded ones. */
const MIN_UNBOUNDED = 16;
/** Characters that classes of patterns usually tell apart. */
const USUAL_CHARACTERS = [..."\n a0/<>:,.-_\"'\\\t\r{}[]()=+*?|#\u00e9\uff5c\u0000"];
/** Characters of one repeat that are tried as its run. */
const MAX_RUNS = 4;

/**
 * Derives texts that could make a pattern slow: for each repeat a run of what it accepts, behind text that leads to it and in front
 * of text that makes the match fail, and the text that leads to it again and again, so that a match is begun many times.
 */
export function hostileInputs(pattern: RegExp): HostileInput[] {
  const tree = parseRegExpLiteral(pattern);
  const characters = charactersOf(pattern);
  const whole = sampleOf(tree.pattern, characters);
  const inputs = repeatsOf(tree.pattern).flatMap((repeat) => {
    const lead = leadTo(repeat, characters);
    const one = sampleOf(repeat.element, characters);
    const runs = runsOf(repeat.element, characters);
    const pumps = new Set([...runs, one, lead, lead + one, whole].filter((pump) => pump !== ""));
    const prefixes = new Set(["", "\0", lead, lead + one]);
    const suffixes = new Set(["\0", `\0${whole}`, ""]);
    return [...prefixes].flatMap((prefix) =>
      [...pumps].flatMap((pump) => [...suffixes].map((suffix) => ({ prefix, pump, suffix }))),
    );
  });
  return inputs.length > 0 ? inputs : [{ prefix: "", pump: whole === "" ? "a" : whole, suffix: "\0" }];
}

/** A hostile input of about `length` characters. */
export function grow({ prefix, pump, suffix }: HostileInput, length: number): string {
  return prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
}

/** Characters to try on classes: usual ones, and those that the pattern spells out. */
function charactersOf({ source }: RegExp): readonly string[] {
  return [...new Set([...USUAL_CHARACTERS, ...source])];
}

type Matcher = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

function isMatcher({ type }: AST.Node): boolean {
  return ["Character", "CharacterSet", "CharacterClass", "ExpressionCharacterClass"].includes(type);
}

/** Characters that a class accepts. */
function accepted({ raw }: Pick<Matcher, "raw">, characters: readonly string[]): string[] {
  const isUnicode = raw.includes("\\p") || raw.includes("\\P") || raw.includes("\\u{");
  const pattern = new RegExp(`^(?:${raw})$`, isUnicode ? "u" : "s");
  return characters.filter((character) => pattern.test(character));
}

function runsOf(element: AST.QuantifiableElement, characters: readonly string[]): string[] {
  return isMatcher(element) ? accepted(element, characters).slice(0, MAX_RUNS) : [];
}

/** A short text that a part of a pattern matches, as far as that is easily told. */
function sampleOf(node: AST.Node, characters: readonly string[]): string {
  switch (node.type) {
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return sampleOf(node.alternatives[0] ?? node, characters);
    case "Alternative":
      return node.elements.map((element) => sampleOf(element, characters)).join("");
    case "Quantifier":
      return sampleOf(node.element, characters).repeat(Math.min(node.min, MIN_UNBOUNDED));
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterSet":
    case "CharacterClass":
    case "ExpressionCharacterClass":
      return accepted(node, characters)[0] ?? "";
    default:
      return "";
  }
}

function repeatsOf(node: AST.Node): AST.Quantifier[] {
  switch (node.type) {
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return node.alternatives.flatMap(repeatsOf);
    case "Assertion":
      return "alternatives" in node ? node.alternatives.flatMap(repeatsOf) : [];
    case "Alternative":
      return node.elements.flatMap(repeatsOf);
    case "Quantifier":
      return [...(node.max >= MIN_UNBOUNDED ? [node] : []), ...repeatsOf(node.element)];
    default:
      return [];
  }
}

/** A text that a match has behind it when it comes to the repeat. */
function leadTo(node: AST.Node, characters: readonly string[]): string {
  const { parent } = node;
  if (parent === null) return "";
  const before =
    parent.type === "Alternative"
      ? parent.elements.filter(({ end }) => end <= node.start).map((element) => sampleOf(element, characters))
      : [];
  return leadTo(parent, characters) + before.join("");
}
