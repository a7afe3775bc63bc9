/** Gives back what was taken; further calls do nothing. */
export type Release = () => void;

/** A release that runs `giveBack` once, however often it is called. */
export function releaseOnce(giveBack: () => void): Release {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    giveBack();
  };
}
