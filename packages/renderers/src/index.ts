export {
  datumFromMessages,
  datumsFromMessages,
  type MessagesDatumOptions,
} from "./datum/datum-from-messages.js";
export { type DatumOptions, datumFromTokens, type TokensDatumOptions } from "./datum/datum-from-tokens.js";
export type { DeepseekV3Options } from "./families/deepseekv3.js";
export type { GptOssOptions } from "./families/gpt-oss.js";
export type { KimiOptions } from "./families/kimi-k2.js";
export type { Qwen35Options } from "./families/qwen3-5.js";
export type { Qwen3VlOptions } from "./families/qwen3-vl.js";
export {
  type BuiltInRendererName,
  getRenderer,
  type RegisteredRendererName,
  type RendererName,
  type RendererOptions,
  rendererFromReference,
} from "./get-renderer.js";
export type { ImageProcessor } from "./image-processor.js";
export { type ImageGrid, imageTokenCount } from "./image-token-count.js";
export type { Layout, Place, RenderedMessage } from "./layout.js";
export { createLayoutRenderer, type LayoutRendererOptions } from "./layout-renderer.js";
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
} from "./message.js";
export {
  contentAsText,
  hasThinking,
  onlyText,
  textOf,
  thinkingOf,
  withoutThinking,
} from "./message-content.js";
export { rendererNameFor, rendererNamesFor } from "./model-renderers.js";
export { type OpenAiMessage, toOpenAiMessage } from "./open-ai-message.js";
export type { Piece, TextPiece } from "./piece.js";
export { type RendererFactory, registerRenderer } from "./register-renderer.js";
export type {
  GenerationPromptOptions,
  Renderer,
  RendererReference,
  SupervisedExample,
  SupervisedExampleOptions,
} from "./renderer.js";
export type { RendererTokenizer } from "./renderer-tokenizer.js";
export type {
  ParsedResponse,
  ParseFailure,
  ReadMessage,
  Reply,
  StreamingRules,
  Termination,
} from "./reply.js";
export type { ResponseEvent, ResponseStream, ResponseStreamOptions } from "./response-stream.js";
export type { GivenText, TextRun } from "./text-run.js";
export type { TrainOn } from "./train-on.js";
