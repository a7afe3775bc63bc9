import type { WireRequest } from "../request/wire-request.js";

/**
 * Makes the place of a redirect that is returned a whole URL: a server may give it relative to the address that was asked for
 * (RFC 9110, section 10.2.2), which the caller does not know. A place that is no URL stays as it is.
 */
export function withAbsoluteLocation(
  request: WireRequest,
  headers: Readonly<Record<string, string>>,
  location: string,
): Readonly<Record<string, string>> {
  // A whole URL may be signed as it is written.
  if (URL.canParse(location)) return headers;
  const from = new URL(request.path, request.origin);
  if (!URL.canParse(location, from.href)) return headers;
  return { ...headers, location: new URL(location, from).href };
}
