export {
  applyChatTemplate,
  type ChatTemplateOptions,
  type RenderedChat,
  type TemplateMessage,
} from "./chat/apply-chat-template.js";
export { PythonFloat } from "./template/values/python-float.js";
