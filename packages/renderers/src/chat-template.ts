export { type ChatTemplateRendererOptions, createChatTemplateRenderer } from "./chat-template-renderer.js";
