import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { RecipeRun } from "./recipe-run.js";

const CONTROL = { method: "sft", signal: undefined };

it("gives the result to whoever awaits it, and every event from the first on to whoever iterates it, however late", async () => {
  const run = new RecipeRun<string, number>(CONTROL, async (tell) => {
    tell(1);
    await Promise.resolve();
    tell(2);
    return "over";
  });
  expect(await run).toBe("over");
  expect(await run).toBe("over");
  const events: number[] = [];
  for await (const event of run) events.push(event);
  expect(events).toEqual([1, 2]);
});

it("gives events while it runs, and goes on when the reader leaves", async () => {
  let goOn = (): void => {};
  const run = new RecipeRun<number, string>(CONTROL, async (tell) => {
    tell("began");
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    tell("ended");
    return 3;
  });
  for await (const event of run) {
    expect(event).toBe("began");
    break;
  }
  goOn();
  expect(await run).toBe(3);
});

it("a failure reaches whoever awaits or iterates it, and ends no process where nobody does", async () => {
  failOnUnhandledErrors();
  const failing = () =>
    new RecipeRun<number, string>(CONTROL, async (tell) => {
      tell("began");
      throw new Error("no service");
    });
  failing();
  const events: string[] = [];
  const iterating = (async () => {
    for await (const event of failing()) events.push(event);
  })();
  await expect(iterating).rejects.toThrow("no service");
  expect(events).toEqual(["began"]);
  await expect(failing()).rejects.toThrow("no service");
});

it("that is aborted ends with an AbortedError, whose cause is the reason; other failures stay as they are", async () => {
  const reason = new Error("enough");
  const failing = (error: unknown) => {
    const control = new AbortController();
    return new RecipeRun<number, string>({ method: "rl", signal: control.signal }, async () => {
      control.abort(reason);
      throw error;
    });
  };
  await expect(failing(reason)).rejects.toMatchObject({
    name: "AbortedError",
    message: "rl was aborted",
    cause: reason,
  });
  await expect(failing(new Error("no service"))).rejects.toThrow("no service");
});

it("is caught and ended as a promise is", async () => {
  const run = (fails: boolean) =>
    new RecipeRun<number, string>(CONTROL, async () => {
      if (fails) throw new Error("no service");
      return 3;
    });
  let ends = 0;
  const count = (): void => {
    ends += 1;
  };
  expect(await run(false).finally(count)).toBe(3);
  expect(await run(true).catch((error: unknown) => `caught ${error}`)).toBe("caught Error: no service");
  await expect(run(true).finally(count)).rejects.toThrow("no service");
  expect(ends).toBe(2);
});

it("events that nobody has read yet are read in a time that grows with their number", async () => {
  /** Seconds of the processor for each event. */
  const costOf = async (count: number): Promise<number> => {
    const run = new RecipeRun<void, number>(CONTROL, async (tell) => {
      for (let event = 0; event < count; event += 1) tell(event);
    });
    await run;
    const before = process.cpuUsage();
    let read = 0;
    for await (const _ of run) read += 1;
    expect(read).toBe(count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  await costOf(1_000);
  const few = await costOf(5_000);
  // With an array that moves all of them for each, some hundred times as much.
  expect((await costOf(60_000)) / few).toBeLessThan(20);
});

it("that was aborted before it begins does none of its work", async () => {
  const reason = new Error("enough");
  let isBegun = false;
  const run = new RecipeRun<number, string>({ method: "rl", signal: AbortSignal.abort(reason) }, async () => {
    isBegun = true;
    return 3;
  });
  await expect(run).rejects.toMatchObject({ name: "AbortedError", message: "rl was aborted", cause: reason });
  expect(isBegun).toBe(false);
});
