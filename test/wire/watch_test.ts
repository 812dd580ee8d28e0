/** The table of what can happen to files, in groups that each have a program of their own. */

import { test } from "node:test";
import { CHECKOUT } from "./watch/checkout.ts";
import { DOCUMENTS } from "./watch/documents.ts";
import { PROMPTS } from "./watch/prompts.ts";
import { ROOTS } from "./watch/roots.ts";
import { SURROUNDINGS } from "./watch/surroundings.ts";
import { WRITING } from "./watch/writing.ts";

/** How many programs run at a time: they wait more than they work. */
const AT_A_TIME = 12;

test("the program follows its files", { concurrency: true }, async (t) => {
  const groups = [...WRITING, ...PROMPTS, ...ROOTS, ...DOCUMENTS, ...SURROUNDINGS, ...CHECKOUT].values();
  await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
    for (const { name, skip = false, run } of groups) await t.test(name, { skip }, run);
  }));
});
