import type { Layout } from "../layout/layout.js";
import { refusal } from "../messages/check-messages.js";
import { onlyText } from "../messages/message-content.js";
import { given } from "../pieces/text-run.js";

const header = (role: string) => ({ text: ["<|start_header_id|>", given(role), "<|end_header_id|>\n\n"] });

/**
 * Llama 3 instruct models, without the block of dates that their newer chat template puts in front.
 *
 * Tokens that people spell out become tokens in contents and a prefill, unless the option `literalText` is on.
 */
export const llama3Layout: Layout = {
  hasExtensionProperty: true,
  checkMessage(message, index) {
    onlyText(message, index);
    if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
      throw refusal(index, "calls tools, which llama3 cannot show", "write the call into its content");
    }
  },
  prelude: () => [{ token: "<|begin_of_text|>" }],
  render: ({ message, index }) => ({
    header: [header(message.role)],
    output: [{ text: [given(onlyText(message, index)), "<|eot_id|>"] }],
  }),
  opening: (role) => [header(role)],
  reply: { stop: { tokens: ["<|eot_id|>"] } },
};
