export {
  applyChatTemplate,
  type ChatTemplateOptions,
  type RenderedChat,
  type TemplateMessage,
} from "./chat/apply-chat-template.js";
export { type ParsedChat, parseChat } from "./chat/parse-chat.js";
export { parsePythonJson } from "./template/values/parse-python-json.js";
export { PythonFloat } from "./template/values/python-float.js";
