import type { Message, Renderer, ToolDeclaration } from "@tinkex/renderers";

/** Puts the declarations of tools in front, which take the place of a system message. */
export function withTools(
  renderer: Renderer,
  messages: readonly Message[],
  tools: readonly ToolDeclaration[] | undefined,
): readonly Message[] {
  if (tools === undefined || tools.length === 0) return messages;
  const [first, ...rest] = messages;
  const isSystem = first?.role === "system" && typeof first.content === "string";
  const declared = renderer.declareTools(tools, isSystem ? String(first.content) : undefined);
  const isCustomized = messages.some(({ trainable }) => trainable !== undefined);
  const head = isCustomized ? declared.map((message) => ({ ...message, trainable: false })) : declared;
  return [...head, ...(isSystem ? rest : messages)];
}
