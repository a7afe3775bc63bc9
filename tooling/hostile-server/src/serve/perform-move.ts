import { CALL_HEADER } from "../ledger-entry.js";
import type { AnswerMove, Move } from "../script/move.js";
import { answer } from "../script/moves.js";
import { seededRandom } from "../seeded-random.js";
import type { SeenRequest } from "../seen-request.js";
import type { Ledger } from "./ledger.js";
import type { Line } from "./line.js";
import { rangeAnswer } from "./range-answer.js";
import { passOn } from "./relay-request.js";

type Gamble = Move & { readonly do: "gamble" };
type Every = Move & { readonly do: "every" };
type Relay = Move & { readonly do: "relay" };

const BEFORE_CUT_MS = 60;

/** What moves share within one server. */
export class Stage {
  readonly ledger: Ledger;
  /** Ways back to requests that have no answer yet. */
  readonly unanswered = new Set<Line>();
  readonly #gambles = new WeakMap<Move, () => number>();
  readonly #counts = new WeakMap<Move, number>();

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** The numbers of one gamble, which go on from request to request. */
  numbersOf(move: Gamble): () => number {
    let numbers = this.#gambles.get(move);
    if (numbers === undefined) {
      numbers = seededRandom(move.seed);
      this.#gambles.set(move, numbers);
    }
    return numbers;
  }

  /** Number of requests that have come to a move, with this one. */
  countOf(move: Every): number {
    const count = (this.#counts.get(move) ?? 0) + 1;
    this.#counts.set(move, count);
    return count;
  }
}

/** Does a move about a request that came over a line. */
export function performMove(move: Move, request: SeenRequest, line: Line, stage: Stage): void {
  if (line.isGone) return;
  const go = (next: Move): void => performMove(next, request, line, stage);
  switch (move.do) {
    case "answer":
      sendAnswer(line, move, stage);
      break;
    case "raw":
      line.raw(move.text);
      break;
    case "stall":
      break;
    case "reset":
      line.reset();
      break;
    case "hang_up":
      line.hangUp();
      break;
    case "half_close":
      line.halfClose();
      break;
    case "cut":
      line.cut(move.of, move.byteLength, () => go(move.next));
      break;
    case "trickle":
      trickleAnswer(line, move.of, move.everyMs);
      break;
    case "drip":
      drip(line, move.text, move.everyMs);
      break;
    case "tunnel":
      stage.unanswered.delete(line);
      line.tunnel(move.port, move.cut?.byteLength ?? Number.POSITIVE_INFINITY, () => {
        if (move.cut !== undefined) go(move.cut.next);
      });
      break;
    case "relay":
      void relayRequest(move, request, line, stage);
      break;
    case "every":
      go(stage.countOf(move) % move.nth === 0 ? move.move : move.otherwise);
      break;
    case "wait":
      setTimeout(() => go(move.next), move.ms);
      break;
    case "in_turn":
      for (const next of move.moves) go(next);
      break;
    case "go_away":
      line.goAway();
      break;
    case "reset_stream":
      line.resetStream(move.code);
      break;
    case "file":
      sendFile(line, move, request, stage);
      break;
    case "work":
      stage.ledger.execute(request);
      if (move.answers) sendAnswer(line, answer(200, { echo: request.headers[CALL_HEADER] ?? null }), stage);
      break;
    case "gamble":
      go(drawn(move, stage.numbersOf(move)));
      break;
  }
}

/** What a gamble comes to for the next request. */
function drawn({ share, faults, otherwise }: Gamble, random: () => number): Move {
  const isFault = random() < share;
  const fault = faults[Math.floor(random() * faults.length)];
  return isFault && fault !== undefined ? fault : otherwise;
}

/** Never rejects. */
async function relayRequest(
  { port, instead }: Relay,
  request: SeenRequest,
  line: Line,
  stage: Stage,
): Promise<void> {
  const given = await passOn(request, port).catch((): Move => ({ do: "reset" }));
  performMove(instead ?? given, request, line, stage);
}

function sendFile(
  line: Line,
  move: Move & { readonly do: "file" },
  request: SeenRequest,
  stage: Stage,
): void {
  const whole = rangeAnswer(move, request);
  if (move.cutEvery !== undefined && whole.body.byteLength > move.cutEvery) {
    line.begin(whole.status, whole.headers);
    line.write(whole.body.subarray(0, move.cutEvery));
    // A client may lose what it has not read by then.
    setTimeout(() => line.hangUp(), BEFORE_CUT_MS);
    return;
  }
  if (whole.status === 206 || move.stopAfter === undefined) {
    sendAnswer(line, whole, stage);
    return;
  }
  line.begin(whole.status, whole.headers);
  line.write(whole.body.subarray(0, move.stopAfter));
}

function sendAnswer(line: Line, { status, headers, body }: AnswerMove, stage: Stage): void {
  stage.unanswered.delete(line);
  line.begin(status, headers);
  if (body.byteLength > 0) line.write(body);
  line.finish();
}

function trickleAnswer(line: Line, { status, headers, body }: AnswerMove, everyMs: number): void {
  line.begin(status, headers);
  const pieces = Array.from(body, (byte) => () => line.write(Uint8Array.of(byte)));
  inSteps(line, [...pieces, () => line.finish()], everyMs);
}

function drip(line: Line, text: string, everyMs: number): void {
  const letters = Array.from(text, (letter) => () => line.raw(letter));
  inSteps(line, letters, everyMs);
}

/** Takes one step each time, while anybody is there to see it. */
function inSteps(line: Line, steps: (() => void)[], everyMs: number): void {
  const timer = setInterval(() => {
    const step = line.isGone ? undefined : steps.shift();
    if (step === undefined) clearInterval(timer);
    else step();
  }, everyMs);
}
