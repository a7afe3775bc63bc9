import { TinkexError } from "@tinkex/base";

/** A credential could not be had, or is of no use. Never repeated: the network has no part in it. */
export class CredentialError extends TinkexError {
  static override readonly name: string = "CredentialError";

  constructor(message: string, cause?: unknown) {
    super(message, { code: "authentication_failed", cause });
  }
}
