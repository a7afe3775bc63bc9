import { settle } from "./fake-clock.js";

/** Whether a wait is over, once all that can go on without the outside has. */
export async function isOver(wait: Promise<unknown>): Promise<boolean> {
  let over = false;
  const note = (): void => {
    over = true;
  };
  wait.then(note, note);
  await settle();
  return over;
}
