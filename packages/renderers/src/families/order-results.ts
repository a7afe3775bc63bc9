import type { Message, ToolCall } from "../messages/message.js";

/** Results of tools in the order of the calls they answer. Left as they are where one does not say which it answers. */
export function orderResults(results: readonly Message[], calls: readonly ToolCall[]): readonly Message[] {
  const places = new Map(calls.flatMap(({ id }, place) => (id === null ? [] : [[id, place]])));
  const placeOf = ({ tool_call_id: id }: Message) => (id === undefined ? undefined : places.get(id));
  if (results.some((result) => placeOf(result) === undefined)) return results;
  return results.toSorted((a, b) => (placeOf(a) ?? 0) - (placeOf(b) ?? 0));
}
