import type { ServiceClient } from "@tinkex/client";

/** Wraps a client so that every call of it, and of the clients that it makes, is noted by its name before it runs. */
export function spiedService(
  service: ServiceClient,
  note: (call: string, args: readonly unknown[]) => void,
): ServiceClient {
  return spied(service, note);
}

function spied<Target extends object>(
  target: Target,
  note: (call: string, args: readonly unknown[]) => void,
): Target {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        note(String(name), args);
        const result: unknown = Reflect.apply(member, target, args);
        const makesClient = /^create.*Client/.test(String(name)) && result instanceof Promise;
        return makesClient ? result.then((client: object) => spied(client, note)) : result;
      };
    },
  });
}
