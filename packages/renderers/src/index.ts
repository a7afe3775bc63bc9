export { type BuiltInRendererName, getRenderer, rendererFromReference } from "./get-renderer.js";
