/** Waits until messages that have arrived and other work have had their turn: arithmetic blocks its thread. */
export function nextTurn(): Promise<void> {
  if (typeof setImmediate === "function") return new Promise((resolve) => setImmediate(resolve));
  // Browsers make a timer that follows timers wait for 4 milliseconds, a message they do not.
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}
