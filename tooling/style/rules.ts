import { findParamForms, findRelativeOpenings } from "./comment-rules.js";
import { findLongFiles, findStarExports, findVagueNames } from "./file-rules.js";
import type { Rule } from "./finding.js";
import { findIncrements } from "./loop-rule.js";
import { findCapitalMessages, findFullStopMessages } from "./message-rules.js";
import { findBooleanNames, findReplacedNames, findSuperlatives } from "./name-rules.js";

/** The rules of docs/style.md that a program can check. */
export const RULES: Readonly<Record<string, Rule>> = {
  "boolean-name": findBooleanNames,
  "capital-message": findCapitalMessages,
  "full-stop-message": findFullStopMessages,
  increment: findIncrements,
  "long-file": findLongFiles,
  "param-form": findParamForms,
  "relative-opening": findRelativeOpenings,
  "replaced-name": findReplacedNames,
  "star-export": findStarExports,
  superlative: findSuperlatives,
  "vague-name": findVagueNames,
};
