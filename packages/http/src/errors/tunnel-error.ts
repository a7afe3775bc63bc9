import { errorCode } from "./error-code.js";

/** undici holds this code for a failure that heals by itself and connects anew for ever; nothing of ours may carry it. */
const UNDICI_RETRIES = new Set(["UND_ERR_SOCKET", "UND_ERR_INFO", "ERR_TLS_CERT_ALTNAME_INVALID"]);

const LOGIN_REFUSED = "PROXY_LOGIN_REFUSED";

/** A proxy that made no tunnel: the service behind it was not reached. */
export class TunnelError extends Error {
  override readonly name = "TunnelError";
  readonly code: string;
  /** Status of the proxy's answer, if there was one. */
  readonly status: number | undefined;
  /** The proxy was given a user name or a password. */
  readonly hadLogin: boolean;

  private constructor(
    message: string,
    code: string,
    details: { status?: number; hadLogin?: boolean; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.hadLogin = details.hadLogin ?? false;
  }

  /** The proxy wants a user name and a password, or others than it was given. */
  get isLoginRefused(): boolean {
    return this.status === 407 || this.code === LOGIN_REFUSED;
  }

  static hungUp(): TunnelError {
    return new TunnelError("the proxy hung up", "PROXY_HUNG_UP");
  }

  static refused(status: number, hadLogin: boolean): TunnelError {
    return new TunnelError(`the proxy answered ${status}`, "PROXY_REFUSED", { status, hadLogin });
  }

  /** A refusal that comes without a status, in the words of SOCKS5. */
  static refusedFor(reason: string): TunnelError {
    return new TunnelError(`the proxy answered "${reason}"`, "PROXY_REFUSED");
  }

  /** A SOCKS5 proxy that wants a login, or another one. */
  static loginRefused(hadLogin: boolean): TunnelError {
    return new TunnelError("the proxy refused the login", LOGIN_REFUSED, { hadLogin });
  }

  static notSpoken(protocol: "HTTP" | "SOCKS5"): TunnelError {
    return new TunnelError(`the proxy's answer is not ${protocol}`, `PROXY_NO_${protocol}`);
  }

  /** A connection to the proxy that failed. */
  static of(cause: unknown): TunnelError {
    const code = errorCode(cause) ?? "PROXY_FAILED";
    if (UNDICI_RETRIES.has(code))
      return new TunnelError("the proxy's connection failed", "CERT_OF_PROXY", { cause });
    return new TunnelError(code, code, { cause });
  }
}
