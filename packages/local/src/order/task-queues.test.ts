import { describe, expect, it } from "vitest";
import { TaskQueues } from "./task-queues.js";

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe("TaskQueues", () => {
  it("runs the tasks of a key in order, and those of another meanwhile", async () => {
    const queues = new TaskQueues();
    const log: string[] = [];
    const task = (name: string, length: number) => async () => {
      log.push(`${name} starts`);
      await turns(length);
      log.push(`${name} ends`);
    };
    await Promise.all([
      queues.run("a", task("a1", 5)),
      queues.run("a", task("a2", 1)),
      queues.run("b", task("b1", 2)),
    ]);
    expect(log).toEqual(["a1 starts", "b1 starts", "b1 ends", "a1 ends", "a2 starts", "a2 ends"]);
  });

  it("goes on after a task that failed, and rejects only that one", async () => {
    const queues = new TaskQueues();
    const failing = queues.run("a", async () => {
      throw new Error("no");
    });
    const next = queues.run("a", async () => 2);
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe(2);
  });

  it("is idle when the tasks of every key have ended", async () => {
    const queues = new TaskQueues();
    let done = 0;
    const task = async () => {
      await turns(3);
      done += 1;
    };
    void queues.run("a", task);
    void queues.run("a", task);
    void queues.run("b", task);
    await queues.idle();
    expect(done).toBe(3);
  });
});
