import { checkString, isLoopbackHost, ValidationError } from "@tinkex/base";

/** Base URL of the hosted service. */
export const DEFAULT_BASE_URL = "https://tinker.thinkingmachines.dev/services/tinker-prod";

/**
 * Checks a base URL and brings it to one form: no slash at its end, its path kept. Empty or absent means the hosted
 * service.
 *
 * @throws ValidationError when it is not an http(s) URL, or carries a user name, a query or a fragment
 */
export function resolveBaseUrl(value: string | undefined): string {
  if (value !== undefined && value !== null) checkString(value, "baseUrl", DEFAULT_BASE_URL);
  const text = value?.trim() || DEFAULT_BASE_URL;
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    const withScheme = `http://${text}`;
    const example = HOST_AND_PORT.test(text) && URL.canParse(withScheme) ? withScheme : DEFAULT_BASE_URL;
    throw new ValidationError(
      `the base URL ${JSON.stringify(text)} is not a URL; give one like "${example}" (option baseUrl or TINKER_BASE_URL)`,
      { path: ["baseUrl"], cause },
    );
  }
  // From here on the text may hold a password or a token: messages name the part, never the value.
  const fault =
    url.protocol !== "http:" && url.protocol !== "https:"
      ? `must start with http:// or https://, got ${url.protocol}${schemeRemedy(url)}`
      : url.username !== "" || url.password !== ""
        ? "must not hold a user name or password; the key goes into apiKey or TINKER_API_KEY"
        : url.search !== "" || url.hash !== ""
          ? "must not hold a query or a fragment"
          : API_ROOT.test(url.pathname)
            ? "must not end in /api/v1, which each call adds by itself; leave that away"
            : undefined;
  if (fault !== undefined) {
    throw new ValidationError(`the base URL ${fault} (option baseUrl or TINKER_BASE_URL)`, {
      path: ["baseUrl"],
    });
  }
  let end = url.pathname.length;
  while (url.pathname[end - 1] === "/") end -= 1;
  return url.origin + url.pathname.slice(0, end);
}

/** Root of all calls, which people copy from the addresses in a log. */
const API_ROOT = /\/api\/v1\/?$/;

/** Address that only lacks its scheme, such as `127.0.0.1:8000` or `[::1]:8000`. */
const HOST_AND_PORT = /^(?:[\w.-]{1,253}:\d{1,5}|\[[\da-fA-F:.]{2,45}\](?::\d{1,5})?)(?:\/|$)/;

/** Remedy for an address without a scheme that begins with a name, such as `localhost:8000`: the name reads as the scheme. */
function schemeRemedy({ href, protocol, pathname }: URL): string {
  if (!HOST_AND_PORT.test(href)) return "";
  const [port] = pathname.split("/");
  return `; write the scheme in front, as in http://${protocol}${port}`;
}

/** Tells whether a URL points at this machine; names below `localhost` are its own too (RFC 6761). */
export function isLoopback(baseUrl: string): boolean {
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return isLoopbackHost(hostname) || hostname.endsWith(".localhost");
}
