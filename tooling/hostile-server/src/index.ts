export { HostileServer } from "./hostile-server.js";
export { CALL_HEADER, type LedgerEntry } from "./ledger-entry.js";
export type { Handshake, ListenOptions, SocksMoves } from "./listen-options.js";
export type { AnswerMove, HeaderValues, Move } from "./script/move.js";
export {
  after,
  answer,
  cutAt,
  cutShort,
  drip,
  every,
  file,
  fileCutEvery,
  gamble,
  goAway,
  halfClose,
  hangUp,
  inTurn,
  raw,
  redirect,
  relay,
  relayThen,
  reset,
  resetStream,
  stall,
  storm,
  trickle,
  tunnel,
  tunnelCutAt,
  work,
  workUnanswered,
} from "./script/moves.js";
export { type Condition, on, type Rule, type Script } from "./script/rule.js";
export { seededRandom } from "./seeded-random.js";
export type { SeenRequest } from "./seen-request.js";
