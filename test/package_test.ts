/** What is published: names, versions and subpaths that several files repeat must agree. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as server from "../lib/mcp/server/mod.ts";
import * as root from "../mod.ts";
import { VERSION } from "../lib/cli/this_copy.ts";
import { runHere } from "./harness/command.ts";
import { filesOf } from "./harness/folder.ts";
import { REPOSITORY } from "./harness/program.ts";

const read = (file: string) => readFileSync(`${REPOSITORY}/${file}`, "utf8");
const json = (file: string) => JSON.parse(read(file));

test("the module exports exactly these names, and all of /server", () => {
  const names =
    "ErrorCode RpcError documentProvider documentTools loadPlatform memoryTransports promptProvider protectOutput stdioTransport";
  assert.deepEqual(Object.keys(root).sort(), [...names.split(" "), ...Object.keys(server)].sort());
  for (const [name, value] of Object.entries(server)) {
    assert.equal(value === (root as Record<string, unknown>)[name] && value !== undefined, true, name);
  }
});

test("the module exports all types of /server", () => {
  const typesOf = (file: string) =>
    [...read(file).matchAll(/^export type \{ ([^}]+) \} from/gm)].flatMap(([, names]) => names!.split(", "));
  const here = typesOf("mod.ts");
  assert.deepEqual(typesOf("lib/mcp/server/mod.ts").filter((name) => !here.includes(name)), []);
});

test("both manifests name the same version and the same subpaths", () => {
  const deno = json("deno.json");
  const node = json("package.json");
  assert.equal(deno.version, VERSION);
  assert.equal(node.version, VERSION);
  assert.deepEqual(Object.keys(node.exports), Object.keys(deno.exports));
  for (const [subpath, source] of Object.entries<string>(deno.exports)) {
    assert.ok(existsSync(`${REPOSITORY}/${source}`), source);
    const built = source.replace("./", "./dist/").replace(/\.ts$/, "");
    assert.deepEqual(node.exports[subpath], { types: `${built}.d.ts`, default: `${built}.js` });
  }
});

test("there are no runtime packages, and two for development", () => {
  const node = json("package.json");
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
    assert.equal(node[kind], undefined);
  }
  assert.deepEqual(Object.keys(node.devDependencies), ["@types/node", "typescript"]);
  assert.equal(json("deno.json").imports, undefined);
});

test("the changelog has an entry for the version", () => {
  assert.ok(
    read("CHANGELOG.md").includes(`\n## ${VERSION} `) || read("CHANGELOG.md").includes(`\n## ${VERSION}\n`),
  );
});

test("the description and the name fit the MCP registry", () => {
  const { description, mcpName } = json("package.json");
  assert.ok(description.length <= 100, description);
  assert.match(mcpName, /^[a-zA-Z0-9.-]+\/architrave$/);
});

/** Tells someone to run or install a package, an action or an image by a name that is not published yet. */
const BY_NAME =
  /\b(?:npx|bunx|uvx|pnpm|yarn|npm (?:i|install|exec)|deno (?:add|run|install|x))\b[^\n`]*?[\s:](?:@architrave\/)?architrave(?![\w./-])|\b(?:jsr|npm):@?architrave|\bgithub\.com\/architrave|\buses: architrave/;

test("until it is published, no document tells anyone to run it by its name", async () => {
  const wrong = ["npx -y architrave list", "deno run -A jsr:@architrave/architrave", "npm i architrave"];
  for (const told of wrong) assert.match(told, BY_NAME);
  for (const right of ["deno run /path/to/architrave/mod.ts", "deno install -n architrave.js mod.ts"]) {
    assert.doesNotMatch(right, BY_NAME);
  }
  const isPrivate: boolean = json("package.json").private ?? false;
  assert.equal(BY_NAME.test(read("README.md")), !isPrivate, "README.md");
  if (!isPrivate) return;
  const files = ["SECURITY.md", "CHANGELOG.md", ".pre-commit-hooks.yaml"];
  for (const folder of ["mcp", "test/deploy"]) {
    files.push(...filesOf(`${REPOSITORY}/${folder}`).map((file) => `${folder}/${file}`));
  }
  for (const file of files) assert.doesNotMatch(read(file), BY_NAME, file);
  const { output } = await runHere(["--help"]);
  for (const [, name] of output.matchAll(/^ {2}(?:architrave |mod\.ts )?([a-z]+)\b/gm)) {
    assert.doesNotMatch((await runHere([name!, "--help"])).output, BY_NAME, name!);
  }
});
