// Rules that all who send or serve HTTP share.

/** Most redirects that one request follows. */
export const MAX_REDIRECTS = 5;

/**
 * Tells whether a host name, as it stands in a URL or in a `Host` header, means this machine for certain: `localhost`,
 * 127.0.0.0/8, and `::1` with or without brackets.
 */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
