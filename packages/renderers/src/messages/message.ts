/** Author of a message. Some families know more roles, such as `developer`; others take any that their layout can show. */
export type Role = "system" | "user" | "assistant" | "tool" | (string & {});

/** One message of a conversation. */
export interface Message {
  readonly role: Role;
  readonly content: string | readonly ContentPart[];
  /** Tools the assistant calls. */
  readonly tool_calls?: readonly ToolCall[] | undefined;
  /** Text that looked like a call of a tool but was none. Only parsing makes them; rendering refuses them. */
  readonly unparsed_tool_calls?: readonly UnparsedToolCall[] | undefined;
  /** Of a `tool` message: the call it answers. */
  readonly tool_call_id?: string | undefined;
  /** Of a `tool` message: the tool that answers. */
  readonly name?: string | undefined;
  /** Says that this message is trained on. For the mode `customized` only, which wants it on every message. */
  readonly trainable?: boolean | undefined;
}

/** A piece of a message. */
export type ContentPart = TextPart | ThinkingPart | ImagePart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** The model's thinking before it answered. */
export interface ThinkingPart {
  readonly type: "thinking";
  readonly thinking: string;
}

/** A picture, for the families that see. */
export interface ImagePart {
  readonly type: "image";
  /** A data URI, or the bytes of a PNG or JPEG file. */
  readonly image: string | Uint8Array;
}

/** A call of a tool. */
export interface ToolCall {
  readonly type: "function";
  readonly id: string | null;
  readonly function: {
    readonly name: string;
    /** JSON text of an object. */
    readonly arguments: string;
  };
}

/** Text that looked like a call of a tool, and why it was none. */
export interface UnparsedToolCall {
  readonly raw_text: string;
  readonly error: string;
}

/** A tool that the model may call. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}
