import { ApiStatusError, type Clock, type Logger } from "@tinkex/base";
import type { CredentialSource } from "./credential-command.js";
import { jwtTimes } from "./token-life.js";

/** A token with no more life than this is not sent any more, in milliseconds. */
const MIN_LIFE_MS = 60_000;
/** Pause after a failed renewal, and the life a token is given that does not tell its own, in milliseconds. */
const PAUSE_MS = 60_000;
/** Least time between two exchanges while the token still works: one that lives a minute would be renewed each call. */
const MIN_INTERVAL_MS = 5_000;

/** Means of {@link TokenAuth}. */
export interface TokenAuthParts {
  readonly source: CredentialSource;
  /** Turns the key into a token; `isUrgent` when nothing works until it is there. */
  readonly exchange: (credential: string, isUrgent: boolean) => Promise<string>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
}

interface Token {
  readonly value: string;
  /** On the monotonic clock, like the other times here. */
  readonly madeAt: number;
  readonly endsAt: number;
  readonly renewAt: number;
}

/**
 * Exchanges the key for short-lived tokens and renews them at half their life, while requests go on with the old one.
 * No timers: a client that sends nothing needs no token. However many calls need one, there is one exchange at a time.
 */
export class TokenAuth {
  readonly #parts: TokenAuthParts;
  #token: Token | undefined;
  #exchanging: Promise<Token> | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(parts: TokenAuthParts) {
    this.#parts = parts;
  }

  /** A token that works now. */
  async current(): Promise<string> {
    const { clock, logger } = this.#parts;
    const now = clock.monotonic();
    const token = this.#token;
    if (token === undefined) return (await this.#renew(true)).value;
    if (now < token.renewAt || (now < token.endsAt && now < token.madeAt + MIN_INTERVAL_MS)) {
      return token.value;
    }
    if (token.endsAt - now > MIN_LIFE_MS) {
      if (now >= this.#notBefore) this.#renew(false).catch(() => {});
      return token.value;
    }
    try {
      return (await this.#renew(now >= token.endsAt)).value;
    } catch (error) {
      const refused = error instanceof ApiStatusError && error.status === 401;
      if (refused || clock.monotonic() >= token.endsAt) throw error;
      logger.warn("the token could not be renewed; the old one serves while it lasts", { error });
      return token.value;
    }
  }

  /** A token other than the one the service has just refused. */
  async replace(refused: string): Promise<string> {
    const token = this.#token;
    return token !== undefined && token.value !== refused ? token.value : (await this.#renew(true)).value;
  }

  #renew(isUrgent: boolean): Promise<Token> {
    this.#exchanging ??= this.#exchange(isUrgent).finally(() => {
      this.#exchanging = undefined;
    });
    return this.#exchanging;
  }

  async #exchange(isUrgent: boolean): Promise<Token> {
    const { source, exchange, clock, random } = this.#parts;
    try {
      const value = await exchange(await source(), isUrgent);
      this.#token = aged(value, clock, random);
      return this.#token;
    } catch (error) {
      this.#notBefore = clock.monotonic() + PAUSE_MS;
      throw error;
    }
  }
}

/**
 * The token with its times on our clock. Its life is counted by the server's clock alone (`exp` minus `iat`), so that a
 * machine whose clock is wrong works too.
 */
function aged(value: string, clock: Clock, random: () => number): Token {
  const now = clock.monotonic();
  const { issuedAtMs, expiresAtMs } = jwtTimes(value);
  const lifeMs =
    issuedAtMs !== undefined && expiresAtMs !== undefined && expiresAtMs > issuedAtMs
      ? expiresAtMs - issuedAtMs
      : expiresAtMs === undefined
        ? 2 * PAUSE_MS
        : expiresAtMs - clock.now();
  const untilRenewalMs = issuedAtMs === undefined ? PAUSE_MS : lifeMs * (0.45 + 0.1 * random());
  return { value, madeAt: now, endsAt: now + lifeMs, renewAt: now + Math.min(untilRenewalMs, lifeMs) };
}
