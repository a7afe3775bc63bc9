import { createHash } from "node:crypto";
import type { Message, Renderer, ToolDeclaration, TrainOn } from "@tinkex/renderers";

interface Refused {
  readonly error: string;
}

interface Summary {
  readonly lengths: readonly number[];
  readonly sha256: string;
}

/** Results of one renderer, as cookbook_cases.py writes them. */
export interface CookbookResults {
  readonly name: string;
  /** Special tokens by their spelling, of a renderer that has a tokenizer of its own. */
  readonly tokens?: Readonly<Record<string, number>>;
  readonly results: readonly RenderedConversation[];
  /** The prompt of a chat in front of which each toolbox was declared. */
  readonly declarations: readonly (Summary | Refused)[];
  readonly responses: readonly ReadResponse[];
}

/** Tools of a chat, and the prompt beside them. */
export interface Toolbox {
  readonly tools: readonly ToolDeclaration[];
  readonly system: string;
}

/** Results of the cookbook for one conversation. */
export interface RenderedConversation {
  readonly prompt: Summary | Refused;
  /** Null where every mode was refused. */
  readonly document: Summary | null;
  readonly weights: Readonly<Partial<Record<TrainOn, readonly (readonly number[])[] | Refused>>>;
}

/** Reading of one response by the cookbook. */
export type ReadResponse = { readonly ids: readonly number[] } & (
  | { readonly message: unknown; readonly termination: string }
  | Refused
);

/** A conversation or response of which the two make different things. */
export interface Difference {
  readonly case: unknown;
  readonly theirs: unknown;
  readonly ours: unknown;
  /** The message of our error, where there is one. */
  readonly message?: string;
}

/**
 * Conversations of which the two are to make different things, by the beginning of a renderer's name. docs/renderers.md has each of
 * them under "Where results differ".
 */
const MEANT_CONVERSATIONS: readonly (readonly [
  names: RegExp,
  isMeant: (messages: readonly Message[]) => boolean,
])[] = [
  [/^(?:llama3|role_colon)/, (messages) => messages.some(({ tool_calls: calls }) => calls !== undefined)],
  [
    /^qwen3(?:$|_disable_thinking|_keep_thinking)/,
    (messages) =>
      messages.some(
        ({ role, content }) =>
          role === "assistant" &&
          typeof content === "string" &&
          content.includes("<think>") !== content.includes("</think>"),
      ),
  ],
];

/** Tells whether the two are to make different things of a conversation. @param name - of the renderer */
export function isMeantToDiffer(name: string, messages: readonly Message[]): boolean {
  return MEANT_CONVERSATIONS.some(([names, isMeant]) => names.test(name) && isMeant(messages));
}

/** Compares a renderer with the cookbook's on every conversation but those that are meant to differ. */
export function compareConversations(
  renderer: Renderer,
  conversations: readonly (readonly Message[])[],
  recorded: readonly RenderedConversation[],
): Difference[] {
  return conversations.flatMap((messages, index) => {
    if (isMeantToDiffer(renderer.name, messages)) return [];
    const theirs = withoutClasses(recorded[index]);
    const errors: string[] = [];
    const ours = withoutClasses(rendered(renderer, messages, recorded[index]?.weights ?? {}, errors));
    if (isSame(ours, theirs)) return [];
    return [
      { case: messages, ...apart(ours, theirs), ...(errors[0] !== undefined && { message: errors[0] }) },
    ];
  });
}

/** Takes out of two results what is the same in both; weights that differ are shown on one line. */
function apart(ours: unknown, theirs: unknown): Pick<Difference, "ours" | "theirs"> {
  const [left, right] = [fieldsOf(ours), fieldsOf(theirs)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  const different = keys.filter((key) => left[key] !== right[key]);
  const pick = (fields: Record<string, string>) =>
    Object.fromEntries(different.map((key) => [key, fields[key] ?? "nothing"]));
  return { ours: pick(left), theirs: pick(right) };
}

function fieldsOf(result: unknown): Record<string, string> {
  const { weights, ...rest } = result as RenderedConversation;
  return Object.fromEntries(
    Object.entries({ ...rest, ...weights }).map(([key, value]) => [key, JSON.stringify(sorted(value))]),
  );
}

/** Compares the prompt of a chat with each toolbox, declared by the renderer and by the cookbook's. */
export function compareDeclarations(
  renderer: Renderer,
  toolboxes: readonly Toolbox[],
  recorded: readonly (Summary | Refused)[],
): Difference[] {
  return toolboxes.flatMap((toolbox, index) => {
    const theirs = withoutClasses(recorded[index]);
    const errors: string[] = [];
    const prompt = () => {
      const messages = [
        ...renderer.declareTools(toolbox.tools, toolbox.system),
        { role: "user", content: "Hi" },
      ];
      return summary(renderer.buildGenerationPrompt(messages).chunks);
    };
    const ours = withoutClasses(attempt(prompt, errors));
    if (isSame(ours, theirs)) return [];
    return [{ case: toolbox, theirs, ours, ...(errors[0] !== undefined && { message: errors[0] }) }];
  });
}

/**
 * Takes out of what was read what is meant to differ: white space around thinking, line breaks behind a second block of it, a block
 * that is opened twice, and calls that the cookbook looks for inside thinking, or puts in another order where those in JSON and
 * those in tags stand side by side.
 */
function withoutMeant(read: unknown, thinking: string): unknown {
  const hasSecondBlock = thinking.includes("</think>");
  const text = JSON.stringify(read, (key, value) => {
    if (key === "text" && hasSecondBlock && typeof value === "string") return value.replace(/^\n*/, "");
    if (key === "thinking" && typeof value === "string") return thinkingText(value);
    if (key === "content" && Array.isArray(value))
      return value.filter((part) => thinkingText(part.thinking) !== "");
    if (key === "tool_calls" && Array.isArray(value)) return value.map((call) => JSON.stringify(call)).sort();
    if (key === "unparsed_tool_calls" && thinking.includes("<tool_call>")) return undefined;
    if (key === "content" && typeof value === "string") return value.replace(/^<think>\n(?=<think>)/, "");
    return value;
  });
  return JSON.parse(text);
}

function thinkingText(thinking: unknown): unknown {
  return typeof thinking === "string" ? thinking.trim().replace(/^(?:<think>\s*)*/, "") : thinking;
}

/** The text up to the end of the last thinking block. */
function thinkingIn(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf("</think>")));
}

/** Compares what a renderer reads with what the cookbook's reads, response by response. */
export function compareResponses(
  renderer: Renderer,
  decode: (ids: readonly number[]) => string,
  responses: readonly ReadResponse[],
): Difference[] {
  return responses.flatMap(({ ids, ...wanted }) => {
    const theirs = withoutClasses(wanted);
    const errors: string[] = [];
    const ours = withoutClasses(attempt(() => read(renderer, ids), errors));
    const text = decode(ids);
    if (isSame(withoutMeant(ours, thinkingIn(text)), withoutMeant(theirs, thinkingIn(text)))) return [];
    return [{ case: text, theirs, ours, ...(errors[0] !== undefined && { message: errors[0] }) }];
  });
}

function attempt<Value>(build: () => Value, errors: string[]): Value | Refused {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    errors.push(error.message);
    return { error: error.name };
  }
}

function rendered(
  renderer: Renderer,
  messages: readonly Message[],
  modes: RenderedConversation["weights"],
  errors: string[],
): RenderedConversation {
  const examples = (Object.keys(modes) as TrainOn[]).map(
    (trainOn) =>
      [trainOn, attempt(() => renderer.buildSupervisedExample(messages, { trainOn }), errors)] as const,
  );
  const document = examples.map(([, example]) => example).find((example) => !("error" in example));
  return {
    prompt: attempt(() => summary(renderer.buildGenerationPrompt(messages.slice(0, -1)).chunks), errors),
    document: document === undefined || "error" in document ? null : summary(document.modelInput.chunks),
    weights: Object.fromEntries(
      examples.map(([mode, example]) => [mode, "error" in example ? example : runs(example.weights)]),
    ),
  };
}

function summary(chunks: readonly object[]): Summary {
  const tokens = chunks.map((chunk) => ("tokens" in chunk ? [...(chunk.tokens as Iterable<number>)] : []));
  return {
    lengths: tokens.map((part) => part.length),
    sha256: createHash("sha256").update(tokens.flat().join()).digest("hex").slice(0, 16),
  };
}

/** Weights as `[weight, count]` pairs. */
function runs(weights: Float32Array): [number, number][] {
  const found: [number, number][] = [];
  for (const weight of weights) {
    const last = found.at(-1);
    if (last?.[0] === weight) last[1] += 1;
    else found.push([weight, 1]);
  }
  return found;
}

function read(renderer: Renderer, ids: readonly number[]): unknown {
  const { message, termination } = renderer.parseResponse(ids);
  const { unparsed_tool_calls: unparsed, ...rest } = message;
  return {
    message: {
      ...rest,
      ...(unparsed !== undefined && {
        unparsed_tool_calls: unparsed.map(({ raw_text }) => ({ raw_text })),
      }),
    },
    termination,
  };
}

/** Python's class of an error says nothing here. */
function withoutClasses(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, item) => (key === "error" ? "refused" : item));
}

/** Fields in another order make no difference. */
function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
