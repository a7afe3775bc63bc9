/**
 * Decoding of one list of tokens by one part of a decoder, token by token, so that a text can be read while it is made: all
 * that `push` and then `end` give is what the part makes of the whole list.
 */
export interface Decoding {
  push(token: string): readonly string[];
  /** The tokens that waited for what follows. */
  end(): readonly string[];
}

/** Part of a decoder; each call begins with a list. */
export type DecoderPart = () => Decoding;

/** Makes the part that changes each token by itself, or by whether it is the first. */
export function eachToken(change: (token: string, isFirst: boolean) => string): DecoderPart {
  return () => {
    let isFirst = true;
    return {
      push(token) {
        const changed = change(token, isFirst);
        isFirst = false;
        return [changed];
      },
      end: () => [],
    };
  };
}

/** Makes the part that joins all tokens to one, which can be read when it is whole. */
export function wholeToken(join: (tokens: readonly string[]) => string): DecoderPart {
  return () => {
    const tokens: string[] = [];
    return {
      push(token) {
        tokens.push(token);
        return [];
      },
      end: () => [join(tokens)],
    };
  };
}

/** Puts parts one behind the other. */
export function inSequence(parts: readonly DecoderPart[]): DecoderPart {
  return () => {
    const decodings = parts.map((part) => part());
    const through = (tokens: readonly string[], from: number): readonly string[] => {
      let given = tokens;
      for (const decoding of from === 0 ? decodings : decodings.slice(from)) given = pushAll(decoding, given);
      return given;
    };
    return {
      push: (token) => through([token], 0),
      end: () => decodings.flatMap((decoding, index) => through(decoding.end(), index + 1)),
    };
  };
}

/** Pushes tokens, of which there is one as a rule: then no further list is made. */
function pushAll(decoding: Decoding, tokens: readonly string[]): readonly string[] {
  const [first] = tokens;
  return tokens.length === 1 && first !== undefined
    ? decoding.push(first)
    : tokens.flatMap((token) => decoding.push(token));
}
