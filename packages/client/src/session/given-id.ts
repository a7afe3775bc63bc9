import { ResponseError } from "@tinkex/base";

/**
 * Gives an id or a path that the service has answered with.
 *
 * @throws ResponseError for an empty one: requests about it would be about nothing
 */
export function givenId(field: string, id: string): string {
  if (id === "") throw new ResponseError(`the service gave an empty ${field}`);
  return id;
}
