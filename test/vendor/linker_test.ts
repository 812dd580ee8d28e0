/** The linker keeps what modules mean, and throws on what it does not understand. */

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY } from "../harness/program.ts";
import { unavailable } from "./hosts.ts";

const options = { skip: unavailable || (ON_DENO && "the compiler's interface needs Node") };

const PART =
  'globalThis.ran.push("part");\nexport const a = 1;\nexport class Named extends Error { name = this.constructor.name; }\n';

const load = (file: string) => import(pathToFileURL(`${REPOSITORY}/.ci/${file}`).href);

async function parse(folder: string): Promise<Map<string, unknown>> {
  const { parseProject } = await load("syntax.mjs");
  return parseProject(folder, ".js");
}

/** Links modules, of which `mod.js` is the entry. */
async function link(t: TestContext, files: Record<string, string>): Promise<string> {
  const { linkModules } = await load("link_modules.mjs");
  const folder = makeFolder(t, files);
  assert.ok(existsSync(`${folder}/mod.js`));
  return linkModules(await parse(folder), "mod.ts");
}

/** Links modules and evaluates the result; with it comes which modules ran, in order. */
async function evaluate(t: TestContext, files: Record<string, string>): Promise<Record<string, unknown>> {
  const ran: string[] = [];
  Object.assign(globalThis, { ran });
  const file = `${makeFolder(t)}/linked.mjs`;
  writeFileSync(file, await link(t, files));
  return { ...await import(pathToFileURL(file).href), ran };
}

test(
  "linked modules mean what they meant: names, order, once each, and later what is imported later",
  options,
  async (t) => {
    const linked = await evaluate(t, {
      "mod.js": `#!/usr/bin/env node
import { passed as mine } from "./deps.js";
import * as part from "./lib/part.js";
import "./lib/effect.js";
globalThis.ran.push("mod");
export { a, Named as Renamed } from "./lib/part.js";
export { passed, local as same } from "./deps.js";
export const sum = mine + part.a;
export const later = async () => (await import("./lib/later.js")).answer;
export const unreadable = "import { x } from './nowhere.js'; export default import('./nowhere.js')";
export const dirname = import.meta.dirname;
`,
      "deps.js": `import { a } from "./lib/part.js";
globalThis.ran.push("deps");
export const local = \`
export const a = 1;
import { b } from "./nowhere.js";\`;
export { a as passed } from "./lib/part.js";
`,
      "lib/part.js": PART,
      "lib/effect.js": 'globalThis.ran.push("effect");\n',
      "lib/later.js": `import * as os from "node:os";
import process, { argv } from "node:process";
import { sep } from "node:path";
import { a } from "./part.js";
globalThis.ran.push("later");
const lost = () => import("./gone.js");
export async function answer() { return [a, typeof os.EOL, argv === process.argv, sep.length, (await lost()).a]; }
`,
      "lib/gone.js": 'export { a } from "./part.js";\n',
    });
    assert.deepEqual(linked["ran"], ["part", "deps", "effect", "mod"]);
    assert.deepEqual([linked["a"], linked["passed"], linked["sum"]], [1, 1, 2]);
    assert.match(linked["same"] as string, /^\nexport const a = 1;\nimport /);
    assert.equal((linked["Renamed"] as ErrorConstructor).name, "Named");
    assert.equal(new (linked["Renamed"] as ErrorConstructor)().name, "Named");
    assert.equal(typeof linked["dirname"], "string");
    const later = linked["later"] as () => Promise<() => Promise<unknown>>;
    const [first, second] = [await later(), await later()];
    assert.equal(first, second);
    assert.deepEqual(await first(), [1, "string", true, 1, 1]);
    assert.deepEqual(linked["ran"], ["part", "deps", "effect", "mod", "later"]);
  },
);

test("an import that fails later is a rejection, as it was", options, async (t) => {
  const linked = await evaluate(t, {
    "mod.js": 'export const later = () => import("./broken.js");\n',
    "broken.js": 'throw new TypeError("It is broken");\n',
  });
  await assert.rejects(linked["later"] as () => Promise<unknown>, {
    name: "TypeError",
    message: "It is broken",
  });
});

test("modules in chunks mean what they meant, also to modules outside", options, async (t) => {
  const ran: string[] = [];
  Object.assign(globalThis, { ran });
  const folder = makeFolder(t, {
    "mod.js":
      'export { Named } from "./lib/part.js";\nexport { first, second, later } from "./lib/second.js";\n',
    "lib/part.js": PART,
    "lib/first.js":
      'import { a } from "./part.js";\nglobalThis.ran.push("first");\nexport const first = a;\n',
    "lib/second.js": `import * as part from "./part.js";
import { first } from "./first.js";
globalThis.ran.push("second");
export { first } from "./first.js";
export const second = first + part.a, later = async () => [await import("./later.js"), await import("../near.js")];
`,
    "near.js": 'import { Named } from "./lib/part.js";\nexport class Near extends Named {}\n',
    "lib/later.js": 'import { Near } from "../near.js";\nexport const error = new Near();\n',
    "package.json": '{ "type": "module" }\n',
  });
  const { linkChunks } = await load("link_modules.mjs");
  const chunks = { "one.js": ["lib/first.ts"], "two.js": ["lib/second.ts", "near.ts"] };
  const linked: Map<string, string> = linkChunks(await parse(folder), chunks);
  assert.deepEqual([...linked.keys()].sort(), [
    ...["lib/first.js", "lib/part.js", "lib/second.js", "near.js", "one.js", "two.js"],
  ]);
  for (const [file, text] of linked) writeFileSync(`${folder}/${file}`, text);
  const { Named, first, second, later } = await import(pathToFileURL(`${folder}/mod.js`).href);
  assert.deepEqual([first, second, ran], [1, 2, ["part", "first", "second"]]);
  const [{ error }, { Near }] = await later();
  assert.ok(error instanceof Near && error instanceof Named);
  assert.deepEqual(ran, ["part", "first", "second"]);
});

test("modules that a function cannot hold are in no chunk", options, async (t) => {
  const { linkChunks } = await load("link_modules.mjs");
  const cases: [first: string, message: RegExp][] = [
    ['import "node:path";', /it imports from the runtime/],
    ['import "./b.js";', /a circle: b\.ts -> a\.ts -> b\.ts/],
    ["export const b_ts = 1;", /the name is taken by a module/],
  ];
  for (const [first, message] of cases) {
    const modules = await parse(makeFolder(t, { "a.js": `${first}\n`, "b.js": 'import "./a.js";\n' }));
    assert.throws(() => linkChunks(modules, { "one.js": ["b.ts", "a.ts"] }), { message });
  }
});

/** What it does not understand, and how it says so. */
const REFUSED: readonly (readonly [part: string, message: RegExp])[] = [
  ["export default 1;", /imports and exports have names, but line 1 .* is export default 1;/],
  ["export default function f() {}", /have names/],
  ["let a = 1;\nexport { a };", /is exported where it is declared/],
  ['f();\nimport { f } from "./other.js";', /imports come first/],
  ["const a = 1;\nexport { a as default };", /have names, but line 2/],
  ['import a from "./other.js";', /imports are plain and named/],
  ["export let a = 1;", /what is exported is a constant/],
  ["export const { a } = { a: 1 };", /names are exported one by one/],
  ['export * from "./other.js";', /names are exported one by one/],
  ['export * as other from "./other.js";', /names are exported one by one/],
  ['import { a } from "./other.js" with { type: "json" };', /imports are plain/],
  ['import { a } from "package";', /only modules of this program and of the runtime/],
  ['import { a } from "https://example.com/a.js";', /only modules of this program/],
  ['export { sep } from "node:path";', /only modules of this program are passed on/],
  ["const f = (x) => import(x);", /a module is named by a literal/],
  ["export const a = import.meta.url;", /only the entry knows where it is/],
  ["const other_ts = 1;\nexport const later = () => import('./other.js');", /taken by a module/],
  ['import "./mod.js";', /a circle: mod\.ts -> part\.ts -> mod\.ts/],
  ['import "node:path";', /only import\(\) can wait for part\.ts/],
  ['import "./nowhere.js";', /part\.ts: it imports nowhere\.ts, which is not there/],
];

test("the linker refuses what it does not understand", options, async (t) => {
  for (const [part, message] of REFUSED) {
    const files = { "part.js": `${part}\n`, "other.js": "export const a = 1;\n" };
    await assert.rejects(link(t, { "mod.js": 'import "./part.js";\n', ...files }), { message }, part);
  }
});
