/** The folder of chat templates beside the default one, each named as its file is (`save_pretrained` of transformers 4.50 and later). */
export const ADDITIONAL_TEMPLATES = "additional_chat_templates";

/** Names that models' templates have, for places that cannot be listed: one for chats with tools, and one for documents. */
export const USUAL_TEMPLATES: readonly string[] = ["tool_use", "rag"];

/** Ending of the files. */
export const TEMPLATE_ENDING = ".jinja";
