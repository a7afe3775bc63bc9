import type { Move } from "../script/move.js";
import { answer } from "../script/moves.js";
import { type Condition, rulesOf, type Script } from "../script/rule.js";
import type { SeenRequest } from "../seen-request.js";

/** Says for each request which move of the script it gets; remembers how far every rule is. */
export function moveChooser(script: Script): (request: SeenRequest, isConnectionUsed: boolean) => Move {
  const rules = rulesOf(script).map(({ when, moves }) => ({ when, left: [...moves] }));
  return (request, isConnectionUsed) => {
    const rule = rules.find(({ when }) => fits(when, request, isConnectionUsed));
    const left = rule?.left ?? [];
    return (left.length > 1 ? left.shift() : left[0]) ?? answer(200);
  };
}

function fits(when: Condition, request: SeenRequest, isConnectionUsed: boolean): boolean {
  const { path, method, header, usedConnection } = when;
  const [withoutQuery = ""] = request.path.split("?");
  return (
    (path === undefined || withoutQuery.endsWith(path)) &&
    (method === undefined || request.method === method) &&
    (header === undefined || request.headers[header[0]] === header[1]) &&
    (usedConnection === undefined || usedConnection === isConnectionUsed)
  );
}
