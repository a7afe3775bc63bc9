import { checkFunction, checkKnownNames, checkObject, checkString } from "@tinkex/base";
import { type CredentialSource, readStoredKey, resolveBaseUrl } from "@tinkex/http";
import { type Credentials, homeOf, resolveCredentials } from "./credentials.js";

/** Places that a credential may be in, as a service client takes them. */
export interface CredentialPlaces {
  /** @defaultValue `TINKER_API_KEY` */
  readonly apiKey?: string | undefined;
  /** @defaultValue the command in `TINKER_CREDENTIAL_CMD` */
  readonly credential?: CredentialSource | undefined;
  /** @defaultValue `TINKER_BASE_URL`, else the hosted service */
  readonly baseUrl?: string | undefined;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

const PLACES = { apiKey: true, credential: true, baseUrl: true, env: true } as const;

/**
 * Tells whether a client made with these options would have a credential, or needs none. Nothing is sent, and neither a command nor
 * a function is run: each counts as one. A key that cannot be one, or a store that cannot be read, counts as none.
 *
 * @throws ValidationError for an option that there is not
 */
export async function hasCredentials(places: CredentialPlaces = {}): Promise<boolean> {
  const found = find(places, "hasCredentials");
  if (found === undefined) return false;
  return found.credentials.from !== "store" || (await stored(found.home)) !== undefined;
}

/**
 * Gives the key or token that is configured, for programs that speak to the service by themselves: a secret. Commands and functions
 * are not run; `undefined` where there is nothing else.
 *
 * @throws ValidationError for an option that there is not
 */
export async function getTinkerToken(places: CredentialPlaces = {}): Promise<string | undefined> {
  const found = find(places, "getTinkerToken");
  if (found === undefined) return undefined;
  const { credentials, home } = found;
  if ("apiKey" in credentials) return credentials.apiKey;
  return credentials.from === "store" ? stored(home) : undefined;
}

function find(
  places: CredentialPlaces,
  method: string,
): { readonly credentials: Credentials; readonly home: string | undefined } | undefined {
  checkKnownNames(places, PLACES, `the options of ${method}`);
  const { apiKey, credential, env = process.env } = places;
  checkObject(env, `${method}: env`);
  if (apiKey !== undefined) checkString(apiKey, `${method}: apiKey`);
  if (credential !== undefined) checkFunction(credential, `${method}: credential`);
  if (places.baseUrl !== undefined) checkString(places.baseUrl, `${method}: baseUrl`);
  const fromEnv = (name: string): string | undefined => env[name]?.trim() || undefined;
  try {
    const baseUrl = resolveBaseUrl(places.baseUrl ?? fromEnv("TINKER_BASE_URL"));
    return {
      credentials: resolveCredentials({ apiKey, credential, fromEnv, baseUrl }),
      home: homeOf(fromEnv),
    };
  } catch {
    // A client would refuse them too.
    return undefined;
  }
}

async function stored(home: string | undefined): Promise<string | undefined> {
  try {
    return home === undefined ? undefined : await readStoredKey(home);
  } catch {
    return undefined;
  }
}
