export {
  datumFromMessages,
  datumsFromMessages,
  type MessagesDatumOptions,
} from "./datum/datum-from-messages.js";
export { type DatumOptions, datumFromTokens, type TokensDatumOptions } from "./datum/datum-from-tokens.js";
export type { DeepseekV3Options } from "./families/deepseek/deepseekv3.js";
export type { GptOssOptions } from "./families/gpt-oss/gpt-oss.js";
export type { KimiOptions } from "./families/kimi/kimi-k2.js";
export type { Qwen35Options } from "./families/qwen/qwen3-5.js";
export type { Qwen3VlOptions } from "./families/qwen/qwen3-vl.js";
export type { TmlOptions } from "./families/tml/tml-v0.js";
export type { ImageProcessor } from "./images/image-processor.js";
export { type ImageGrid, imageTokenCount } from "./images/image-token-count.js";
export type { Layout, Place, RenderedMessage } from "./layout/layout.js";
export { createLayoutRenderer, type LayoutRendererOptions } from "./layout/layout-renderer.js";
export type {
  ContentPart,
  ImagePart,
  Message,
  Role,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolDeclaration,
  UnparsedToolCall,
} from "./messages/message.js";
export {
  contentAsText,
  hasThinking,
  onlyText,
  textOf,
  thinkingOf,
  withoutThinking,
} from "./messages/message-content.js";
export { type OpenAiMessage, toOpenAiMessage } from "./messages/open-ai-message.js";
export type { Piece, TextPiece } from "./pieces/piece.js";
export type { RendererTokenizer } from "./pieces/renderer-tokenizer.js";
export type { GivenText, TextRun } from "./pieces/text-run.js";
export {
  type BuiltInRendererName,
  getRenderer,
  type RegisteredRendererName,
  type RendererName,
  type RendererOptions,
  rendererFromReference,
} from "./registry/get-renderer.js";
export { rendererNameFor, rendererNamesFor } from "./registry/model-renderers.js";
export { type RendererFactory, registerRenderer } from "./registry/register-renderer.js";
export type {
  GenerationPromptOptions,
  Renderer,
  RendererReference,
  SupervisedExample,
  SupervisedExampleOptions,
} from "./renderer/renderer.js";
export type { TrainOn } from "./renderer/train-on.js";
export type {
  ParsedResponse,
  ParseFailure,
  ReadMessage,
  Reply,
  StreamingRules,
  Termination,
} from "./replies/reply.js";
export type { ResponseEvent, ResponseStream, ResponseStreamOptions } from "./replies/response-stream.js";
