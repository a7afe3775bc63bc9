export {
  applyChatTemplate,
  type ChatTemplateOptions,
  type RenderedChat,
  type TemplateMessage,
} from "./chat/apply-chat-template.js";
