import { refusal } from "./check-messages.js";
import type { Message } from "./message.js";

/**
 * Refuses a role that a family of models has no token for.
 *
 * @throws ValidationError naming the message
 */
export function checkKnownRole(
  { role }: Message,
  index: number,
  roles: readonly string[],
  family: string,
): void {
  if (roles.includes(role)) return;
  throw refusal(
    index,
    `has the role ${JSON.stringify(role)}, which ${family} has no token for`,
    `its roles are ${roles.join(", ")}`,
  );
}
