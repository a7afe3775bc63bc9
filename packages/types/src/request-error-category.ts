/** Whose fault a failed operation is, as the service sees it. A word we do not know reads as `unknown`. */
export type RequestErrorCategory = "unknown" | "server" | "user";
