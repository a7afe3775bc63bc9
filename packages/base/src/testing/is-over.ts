import { settle } from "./fake-clock.js";

/** Tells whether a wait is over, once all that can go on without the outside has. */
export async function isOver(wait: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  const note = (): void => {
    hasEnded = true;
  };
  wait.then(note, note);
  await settle();
  return hasEnded;
}
