export {
  type ChatTemplateRendererOptions,
  createChatTemplateRenderer,
} from "./chat-template/chat-template-renderer.js";
