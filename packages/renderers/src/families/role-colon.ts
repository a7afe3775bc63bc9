import type { Layout } from "../layout/layout.js";
import { refusal } from "../messages/check-messages.js";
import { onlyText } from "../messages/message-content.js";
import type { Piece } from "../pieces/piece.js";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import { given } from "../pieces/text-run.js";
import type { ParsedResponse } from "../replies/reply.js";

const STOP = "\n\nUser:";

/**
 * Lines such as `User: Hi`, each followed by a blank line, for base models, which were trained on no layout. The end of a
 * message is text, not a token.
 *
 * Tokens that people spell out become tokens in contents and a prefill, unless the option `literalText` is on. With it, too, people
 * can write what this layout itself is made of: `User:` behind a blank line.
 */
export function roleColonLayout(tokenizer: RendererTokenizer): Layout {
  const bos = tokenizer.namedTokens?.bos;
  return {
    hasExtensionProperty: true,
    checkMessage(message, index) {
      onlyText(message, index);
      if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
        throw refusal(index, "calls tools, which role_colon cannot show", "write the call into its content");
      }
    },
    prelude: () => (bos === undefined ? [] : [{ token: bos }]),
    render: ({ message, index }) => ({
      header: [header(message.role)],
      output: [{ text: [" ", given(onlyText(message, index)), "\n\n"] }],
      // The blank line above is half of the stop sequence; a model that answers has to write the other half too.
      stopOverlap: message.role === "assistant" ? [{ text: "User:" }] : [],
    }),
    opening: (role) => [header(role)],
    reply: { stop: { text: [STOP] }, parse: parseRoleColon },
  };
}

function header(role: string): Piece {
  return { text: [given(role.charAt(0).toUpperCase() + role.slice(1).toLowerCase()), ":"] };
}

function parseRoleColon(ids: readonly number[], tokenizer: RendererTokenizer): ParsedResponse {
  const eos = tokenizer.namedTokens?.eos;
  const eosId = eos === undefined ? undefined : tokenizer.tokenId(eos);
  const endsByEos = eosId !== undefined && ids.at(-1) === eosId;
  const [text = "", ...behind] = tokenizer.decode(endsByEos ? ids.slice(0, -1) : ids).split(STOP);
  const message = { role: "assistant", content: text.replace(/^ /, "").replace(/\n\n$/, "") };
  if (behind.length === 0 && endsByEos) return { message, termination: "eos", failure: null };
  if (behind.length === 1 && !endsByEos) return { message, termination: "stop_sequence", failure: null };
  return { message, termination: "malformed", failure: "structural" };
}
