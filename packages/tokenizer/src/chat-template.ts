export {
  applyChatTemplate,
  type ChatTemplateOptions,
  type RenderedChat,
  type TemplateMessage,
} from "./apply-chat-template.js";
