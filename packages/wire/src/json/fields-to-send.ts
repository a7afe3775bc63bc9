import type { Generation, Holds, SentField, SentRecord } from "./sent-record.js";

/**
 * A record as it goes on the wire to a server generation:
 *
 * - to 0.4 servers what is set, and nothing else;
 * - to 0.25 and 0.38 servers also the defaults of the fields that 0.25 has, `type` included;
 * - to either, a field newer than that only when it is not at its default, since some servers refuse what they do not know.
 */
export function fieldsToSend(
  value: object,
  record: SentRecord,
  generation: Generation,
): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(record.fields)) {
    const given: unknown = (value as Readonly<Record<string, unknown>>)[name];
    const chosen = chooseValue(given ?? undefined, field, generation);
    if (chosen !== undefined) sent[name] = formToSend(chosen, field, generation);
  }
  return record.derived === undefined ? sent : { ...sent, ...record.derived(value, generation) };
}

function chooseValue(given: unknown, field: SentField, generation: Generation): unknown {
  if (field.in04 !== undefined && (field.in04 === "only") !== (generation === "0.4")) return undefined;
  if (field.nullWhenUnset === true) return given ?? null;
  const known = generation === "0.4" ? field.since === "0.4" : field.since !== "0.38";
  if (!known) return isDefault(given, field) ? undefined : given;
  return given ?? (generation === "0.4" ? undefined : field.default);
}

function isDefault(given: unknown, field: SentField): boolean {
  if (given === undefined) return true;
  // Defaults are plain JSON; a value beside one that has none (a tensor, say) need not be.
  return field.default !== undefined && JSON.stringify(given) === JSON.stringify(field.default);
}

function formToSend(value: unknown, field: SentField, generation: Generation): unknown {
  if (field.encode !== undefined) return field.encode(value);
  return field.holds === undefined ? value : sendHeld(value, field.holds, generation);
}

function sendHeld(value: unknown, { as, record }: Holds, generation: Generation): unknown {
  const send = (item: object): object => fieldsToSend(item, record(item), generation);
  if (as === "record") return send(value as object);
  if (as === "list") return (value as readonly object[]).map(send);
  return Object.fromEntries(
    Object.entries(value as Record<string, object>).map(([key, item]) => [key, send(item)]),
  );
}
