import { BlockList, isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

/**
 * Tells whether `NO_PROXY` excepts an address. Entries stand between commas or spaces: `*`; names, for themselves and all below
 * them, with or without a dot in front; IP addresses and ranges (`10.0.0.0/8`, `fd00::/8`); each but ranges with a port
 * if it is for that alone; and the patterns of httpx (`https://*.example`). Where httpx and curl differ the README says who is followed.
 */
export function isExcepted(url: URL, noProxy: string): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => entry !== "" && matches(entry.toLowerCase(), url));
}

function matches(entry: string, url: URL): boolean {
  if (entry === "*") return true;
  const host = withoutEnds(url.hostname);
  const schemeEnd = entry.indexOf("://");
  if (schemeEnd >= 0) {
    const scheme = entry.slice(0, schemeEnd);
    if (scheme !== "all" && `${scheme}:` !== url.protocol) return false;
    const pattern = entry.slice(schemeEnd + 3);
    // As httpx reads them without HTTPS_PROXY and HTTP_PROXY: every host of one scheme, while "all://*" says nothing.
    if (pattern === "" || pattern === "*") return scheme !== "all";
    return isPattern(pattern, host, url);
  }
  if (entry.includes("/")) return isInRange(host, entry);
  const { name, port } = parts(entry);
  if (!isPort(port, url)) return false;
  return isSame(name, host) || isBelow(name, host);
}

/** Reads what stands behind a scheme as httpx reads it, where a star says whether names below one are meant, or that one as well. */
function isPattern(pattern: string, host: string, url: URL): boolean {
  const { name, port } = parts(pattern.replace(/^\*(?=[^.:])/, ""));
  if (!isPort(port, url)) return false;
  if (name === "" || name === "*") return port !== "";
  if (pattern.startsWith("*.")) return isBelow(name, host);
  const isWide = pattern.startsWith("*") || pattern.startsWith(".");
  return isSame(name, host) || (isWide && isBelow(name, host));
}

function isBelow(name: string, host: string): boolean {
  return isIP(host) === 0 && host.endsWith(`.${asciiName(name)}`);
}

/** Splits an entry. The colons of an IPv6 address without brackets are its own. */
function parts(entry: string): { readonly name: string; readonly port: string } {
  const colon = isIPv6(entry) ? -1 : entry.indexOf(":", entry.indexOf("]") + 1);
  if (colon < 0) return { name: withoutEnds(entry), port: "" };
  return { name: withoutEnds(entry.slice(0, colon)), port: entry.slice(colon + 1) };
}

/** A name without the dot of the root, the dot or star before it, and the brackets of IPv6. */
function withoutEnds(name: string): string {
  if (name.startsWith("[")) return name.slice(1, name.endsWith("]") ? -1 : undefined);
  const start = name.startsWith("*.") ? 2 : name.startsWith(".") ? 1 : 0;
  return name.slice(start, name.endsWith(".") && name.length > start ? -1 : undefined);
}

function isPort(port: string, { port: given, protocol }: URL): boolean {
  return port === "" || port === (given || (protocol === "https:" ? "443" : "80"));
}

function isSame(name: string, host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === asciiName(name);
  if (isIP(name) !== family) return false;
  const list = new BlockList();
  list.addAddress(name, `ipv${family === 4 ? 4 : 6}`);
  return list.check(host, `ipv${family === 4 ? 4 : 6}`);
}

function isInRange(host: string, range: string): boolean {
  const slash = range.indexOf("/");
  const network = withoutEnds(range.slice(0, slash));
  const length = Number(range.slice(slash + 1));
  // As httpx and curl read them: a length of 0, or one that is no number, makes no range of an address.
  if (!(length > 0)) return isIP(host) > 0 && isSame(network, host);
  const family = isIP(host);
  const isRange = Number.isInteger(length) && length <= (family === 4 ? 32 : 128);
  if (family === 0 || isIP(network) !== family || !isRange) return false;
  const list = new BlockList();
  list.addSubnet(network, length, `ipv${family === 4 ? 4 : 6}`);
  return list.check(host, `ipv${family === 4 ? 4 : 6}`);
}

/** The form in which a URL has a name; a name that is none is given as one that nothing is called. */
function asciiName(name: string): string {
  return domainToASCII(name) || " ";
}
