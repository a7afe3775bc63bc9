import { defineOwn, ValidationError } from "@tinkex/base";
import type { ApiGeneration } from "@tinkex/types";
import type { Holds, SentField, SentRecord } from "./sent-record.js";

/**
 * Picks the fields of a record as it goes on the wire to a server generation:
 *
 * - to 0.4 servers what is set, and nothing else;
 * - to 0.25 and 0.38 servers also the defaults of the fields that 0.25 has, `type` included;
 * - to either, a field newer than that only when it is not at its default, since some servers refuse what they do not know.
 *
 * @param keepsUnknown - also writes fields that the record does not have
 * @throws ValidationError for a field that JSON cannot carry
 */
export function fieldsToSend(
  value: object,
  record: SentRecord,
  generation: ApiGeneration,
  keepsUnknown = false,
): Record<string, unknown> {
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in record.withoutJsonForm) {
    if ((fields[name] ?? false) !== false)
      throw new ValidationError(`${name} has no JSON form: ${record.withoutJsonForm[name]}`, {
        path: [name],
      });
  }
  const sent: Record<string, unknown> = {};
  // No list of names is made: this runs several times for every request.
  for (const name in record.fields) {
    const field = record.fields[name];
    if (field === undefined) continue;
    const chosen = chooseValue(fields[name] ?? undefined, field, generation);
    if (chosen === undefined) continue;
    if (field.encode !== undefined) sent[name] = field.encode(chosen);
    else if (field.holds === undefined) sent[name] = chosen;
    else sent[name] = sendHeld(chosen, field.holds, generation, keepsUnknown);
  }
  if (keepsUnknown) {
    const known = { ...record.fields, ...record.withoutJsonForm };
    for (const [name, member] of Object.entries(fields)) {
      if (!Object.hasOwn(known, name) && member !== undefined) defineOwn(sent, name, member);
    }
  }
  return record.derived === undefined ? sent : { ...sent, ...record.derived(value, generation) };
}

function chooseValue(given: unknown, field: SentField, generation: ApiGeneration): unknown {
  if (field.in04 !== undefined && (field.in04 === "only") !== (generation === "0.4")) return undefined;
  if (field.nullWhenUnset === true) return given ?? null;
  const isKnown = generation === "0.4" ? field.since === "0.4" : field.since !== "0.38";
  if (isKnown) return given ?? (generation === "0.4" ? undefined : field.default);
  const isDefault = field.default !== undefined && isEqual(given, field.default);
  return isDefault ? undefined : given;
}

/** Compares plain JSON. */
function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return left === right;
  const members = Object.entries(left);
  return (
    members.length === Object.keys(right).length &&
    members.every(([key, member]) => isEqual(member, (right as Readonly<Record<string, unknown>>)[key]))
  );
}

function sendHeld(
  value: unknown,
  { as, record }: Holds,
  generation: ApiGeneration,
  keepsUnknown: boolean,
): unknown {
  const send = (item: object): object => {
    const table = typeof record === "function" ? record(item) : record;
    return fieldsToSend(item, table, generation, keepsUnknown);
  };
  if (as === "record") return send(value as object);
  if (as === "list") return (value as readonly object[]).map(send);
  return Object.fromEntries(
    Object.entries(value as Record<string, object>).map(([key, item]) => [key, send(item)]),
  );
}
