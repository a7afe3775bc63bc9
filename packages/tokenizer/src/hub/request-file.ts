import { MAX_REDIRECTS, ResponseError } from "@tinkex/base";

/** A request that got no answer, or an answer that broke off: what may be tried again. Never leaves the hub's client. */
export class NetworkFailure extends Error {
  constructor(cause: unknown) {
    super("the network failed", { cause });
    this.name = "NetworkFailure";
  }
}

/** One request for a file of the hub. */
export interface FileRequest {
  readonly url: URL;
  readonly method: "HEAD" | "GET";
  /** For the hub alone. */
  readonly token: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and follows where it leads: a HEAD within the hub (a renamed repository), as what a file is the hub's
 * own answer says; a GET to other hosts too, where large files lie. These never get the token, nor does the hub once
 * another host leads back to it.
 *
 * @throws NetworkFailure when no answer comes, ResponseError when the hub leads from https to http or to no address.
 */
export async function requestFile({ url, method, token, fetch, signal }: FileRequest): Promise<Response> {
  let target = url;
  let isAtHub = true;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(target, {
      method,
      redirect: "manual",
      headers: {
        // The size in the answer must be that of the file.
        "accept-encoding": "identity",
        ...(token === undefined || !isAtHub ? {} : { authorization: `Bearer ${token}` }),
      },
      signal,
    }).catch((cause: unknown) => {
      throw new NetworkFailure(cause);
    });
    const location = response.headers.get("location");
    const isRedirection = response.status >= 300 && response.status < 400 && location !== null;
    if (!isRedirection || redirects === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    const next = redirectionOf(location, target);
    if (method === "HEAD" && next.origin !== url.origin) return response;
    if (target.protocol === "https:" && next.protocol !== "https:") {
      throw new ResponseError(
        `${target.origin} leads to ${next.origin}, from https to a connection that anyone on the way can change; check HF_ENDPOINT`,
      );
    }
    target = next;
    isAtHub &&= next.origin === url.origin;
  }
}

/** The address that an answer leads to. It is not shown where it is refused: an address may hold a password or a signature. */
function redirectionOf(location: string, from: URL): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const isHttp = next?.protocol === "http:" || next?.protocol === "https:";
  if (next !== undefined && isHttp && next.username === "" && next.password === "") return next;
  throw new ResponseError(
    `${from.origin} redirects to what must be an http(s) address without a user name, and is not; check HF_ENDPOINT`,
  );
}
