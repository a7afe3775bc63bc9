import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tinkex from "tinkex";
import { describe, expect, it } from "vitest";
import { isTestThere, namedTests, promisesUnder } from "./promises.js";
import { REPOSITORY } from "./snippets.js";

const page = readFileSync(join(REPOSITORY, "docs", "from-python.md"), "utf8");
const calls = sectionOf("Calls");
const errors = sectionOf("Errors");

function sectionOf(heading: string): string {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  return section.split("\n## ")[0] ?? "";
}

/** Names of what a class's instances can be asked, as a program writes them. */
function publicMembers(type: { readonly prototype: object }): readonly string[] {
  return Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
}

/** Those of a class and of the class that it extends. */
function inheritedMembers(type: { readonly prototype: object }): readonly string[] {
  return [...publicMembers(type), ...publicMembers(Object.getPrototypeOf(type))];
}

describe("docs/from-python.md", () => {
  it.each([
    ["service", tinkex.ServiceClient],
    ["training", tinkex.TrainingClient],
    ["sampler", tinkex.SamplingClient],
  ])("has every member of what it calls `%s` in its table of calls", (name, type) => {
    const members = publicMembers(type);
    expect(members.length).toBeGreaterThan(3);
    expect(members.filter((member) => !new RegExp(`\\b${name}\\.${member}\\b`).test(calls))).toEqual([]);
  });

  it("has every member of `rest` and `admin`, and every call of the checks of access, in its table of calls", () => {
    const members = [
      ...inheritedMembers(tinkex.RestCalls).map((name) => `rest.${name}`),
      ...publicMembers(tinkex.AdminCalls).map((name) => `admin.${name}`),
      ...publicMembers(tinkex.RestClient).map((name) => `rest.${name}`),
      ...publicMembers(tinkex.AdminClient).map((name) => `admin.${name}`),
      ...Object.keys(tinkex.consoleUrls)
        .filter((name) => name !== "sessions")
        .map((name) => `.${name}(`),
      ...["hasCredentials", "getTinkerToken", "checkAccess"],
    ];
    expect(members).toContain("rest.deleteCheckpoint");
    expect(members.filter((member) => !calls.includes(member))).toEqual([]);
  });

  it("has every member of a future in its table of calls", () => {
    const members = [...publicMembers(tinkex.ApiFuture), "submitted"].filter((name) => name !== "then");
    expect(members).toContain("cancel");
    expect(members.filter((member) => !calls.includes(`future.${member}`))).toEqual([]);
  });

  it("has every class of errors in its table of errors", () => {
    const classes = Object.entries(tinkex)
      .filter(([name]) => /^[A-Z]\w*Error$/.test(name))
      .map(([name]) => name);
    expect(classes.length).toBeGreaterThan(8);
    expect(classes.filter((name) => !errors.includes(`\`${name}\``))).toEqual([]);
  });

  const differences = ["What differs", "Extensions", "Requests that differ"].flatMap((heading) =>
    promisesUnder(heading, page),
  );

  it("has some dozens of differences", () => expect(differences.length).toBeGreaterThan(60));

  it.each(differences)("names the test of: $text", ({ tests }) => expect(tests).not.toEqual([]));

  it("names tests that are there", () => {
    expect(namedTests(page).filter((test) => !isTestThere(test))).toEqual([]);
  });
});
