import { checkObject } from "@tinkex/base";
import { resolveBaseUrl } from "@tinkex/http";
import { accessError } from "../auth/access-error.js";
import { type CredentialOrigin, resolveCredentials } from "../auth/credentials.js";
import { checkServiceOptions } from "./check-service-options.js";
import { ServiceClient } from "./service-client.js";
import type { ConnectionOptions } from "./shared-connection.js";

/** Options of looking whether the service can be used: those of a client, and a signal. */
export interface CheckAccessOptions extends Omit<ConnectionOptions, "transport" | "billing"> {
  readonly signal?: AbortSignal | undefined;
}

/** The way to the service that works. */
export interface Access {
  readonly baseUrl: string;
  /** The place that the credential came from; `none` for a server that was sent none. */
  readonly credentialFrom: CredentialOrigin;
}

/**
 * Looks whether the service can be used with these options and this environment: asks once for what it offers, for which the
 * account must be able to pay. Nothing is repeated, so that a fault shows at once.
 *
 * @throws AccessError whose `fault` says what failed, and its message how to mend it; ValidationError for options of the wrong kind
 *
 * @example
 * const { credentialFrom } = await checkAccess({ timeoutMs: 10_000 });
 */
export async function checkAccess(options: CheckAccessOptions = {}): Promise<Access> {
  checkObject(options, "the options of checkAccess", "{ timeoutMs: 10_000 }");
  const { signal, ...given } = options;
  checkServiceOptions(given);
  const { apiKey, credential, env = process.env } = given;
  const fromEnv = (name: string): string | undefined => env[name]?.trim() || undefined;
  const baseUrl = resolveBaseUrl(given.baseUrl ?? fromEnv("TINKER_BASE_URL"));
  let credentialFrom: CredentialOrigin = "none";
  let service: ServiceClient | undefined;
  try {
    credentialFrom = resolveCredentials({ apiKey, credential, fromEnv, baseUrl }).from;
    service = new ServiceClient({
      ...given,
      billing: "fail",
      retry: { ...given.retry, maxRetries: 0 },
    });
    await service.getServerCapabilities({ signal });
  } catch (error) {
    throw accessError(error, baseUrl, credentialFrom);
  } finally {
    await service?.close();
  }
  return { baseUrl, credentialFrom };
}
