import {
  ApiStatusError,
  ConnectionError,
  errorMessage,
  ResponseError,
  TimeoutError,
  TinkexError,
  ValidationError,
} from "@tinkex/base";
import { CredentialError } from "@tinkex/http";
import type { CredentialOrigin } from "./credentials.js";

/** The part of the way to the service that failed. */
export type AccessFault = "credential" | "key" | "account" | "address" | "connection" | "service";

/** The service cannot be used. `fault` says at which part that is, the message how to mend it, and `cause` what came. */
export class AccessError extends TinkexError {
  static override readonly name: string = "AccessError";

  /**
   * `credential`: there is none, or it cannot be had; `key`: the service refuses it; `account`: it cannot pay; `address`: what answers
   * is no Tinker API; `connection`: nobody answers; `service`: it answers with errors.
   */
  readonly fault: AccessFault;

  constructor(message: string, info: { readonly fault: AccessFault; readonly cause: unknown }) {
    const { cause } = info;
    super(message, { code: cause instanceof TinkexError ? cause.code : "response_invalid", cause });
    this.fault = info.fault;
  }
}

/** Names of the places that a credential comes from, for messages. */
const ORIGINS: Readonly<Record<Exclude<CredentialOrigin, "none">, string>> = {
  apiKey: "the option apiKey",
  credential: "the option credential",
  TINKER_API_KEY: "TINKER_API_KEY",
  TINKER_CREDENTIAL_CMD: "the command in TINKER_CREDENTIAL_CMD",
  store: 'the login of "tinker auth login"',
};

/** Words for each fault: what it is, and how to mend it. */
const WORDS: Readonly<Record<AccessFault, (baseUrl: string, from: CredentialOrigin) => string>> = {
  credential: (baseUrl) => `there is no credential for ${baseUrl} that can be sent`,
  key: (baseUrl, from) =>
    from === "none"
      ? `${baseUrl} asks for a key, and none was given; set TINKER_API_KEY, or give the option apiKey`
      : `${baseUrl} refuses the credential from ${ORIGINS[from]}; make a new key on the keys page of the console, and put it there`,
  account: () => "the account cannot pay; set up billing on the billing page of the console",
  address: (baseUrl) =>
    `what answers at ${baseUrl} is no Tinker API; check TINKER_BASE_URL, or the option baseUrl`,
  connection: (baseUrl) =>
    `nobody answers at ${baseUrl}; check TINKER_BASE_URL, the network, and the proxy (HTTPS_PROXY)`,
  service: (baseUrl) => `the service at ${baseUrl} answers with errors; try again later`,
};

/** Makes the error for something that stands in the way to the service. What is no such thing, such as an abort, stays as it is. */
export function accessError(cause: unknown, baseUrl: string, from: CredentialOrigin): unknown {
  const fault = faultOf(cause);
  if (fault === undefined) return cause;
  return new AccessError(`checkAccess: ${WORDS[fault](baseUrl, from)} (${errorMessage(cause)})`, {
    fault,
    cause,
  });
}

function faultOf(cause: unknown): AccessFault | undefined {
  if (cause instanceof CredentialError) return "credential";
  if (cause instanceof ValidationError) {
    const [option] = cause.path;
    return option === "apiKey" || option === "credential" ? "credential" : undefined;
  }
  if (cause instanceof ConnectionError || cause instanceof TimeoutError) return "connection";
  if (cause instanceof ResponseError) return "address";
  if (!(cause instanceof ApiStatusError)) return undefined;
  const { status } = cause;
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "account";
  return status === 429 || status >= 500 ? "service" : "address";
}
