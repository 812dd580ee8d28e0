/** What is published: names, versions and subpaths that several files repeat must agree. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as root from "../mod.ts";
import { VERSION } from "../lib/cli/main.ts";
import { runHere } from "./harness/command.ts";
import { REPOSITORY } from "./harness/program.ts";

const json = (file: string) => JSON.parse(readFileSync(`${REPOSITORY}/${file}`, "utf8"));

test("the module exports exactly these names", () => {
  assert.deepEqual(Object.keys(root).sort(), [
    "ErrorCode",
    "RpcError",
    "createServer",
    "documentProvider",
    "documentTools",
    "loadPlatform",
    "memoryTransports",
    "promptProvider",
    "protectOutput",
    "stdioTransport",
  ]);
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
  assert.match(
    readFileSync(`${REPOSITORY}/CHANGELOG.md`, "utf8"),
    new RegExp(`^## ${VERSION.replaceAll(".", "\\.")}\\b`, "m"),
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
  for (
    const told of ["npx -y architrave list", "deno run -A jsr:@architrave/architrave", "npm i architrave"]
  ) {
    assert.match(told, BY_NAME);
  }
  for (const right of ["deno run /path/to/architrave/mod.ts", "deno install -n architrave.js mod.ts"]) {
    assert.doesNotMatch(right, BY_NAME);
  }
  const isPrivate: boolean = json("package.json").private ?? false;
  const readme = readFileSync(`${REPOSITORY}/README.md`, "utf8");
  assert.equal(BY_NAME.test(readme), !isPrivate, "README.md");
  if (!isPrivate) return;
  const files = ["mcp", "test/deploy"].flatMap((folder) =>
    readdirSync(`${REPOSITORY}/${folder}`, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile()
    ).map(({ parentPath, name }) => `${parentPath}/${name}`)
  );
  files.push(
    ...["SECURITY.md", "CHANGELOG.md", ".pre-commit-hooks.yaml"].map((file) => `${REPOSITORY}/${file}`),
  );
  for (const file of files) assert.doesNotMatch(readFileSync(file, "utf8"), BY_NAME, file);
  const { output } = await runHere(["--help"]);
  for (const [, name] of output.matchAll(/^ {2}(?:architrave |mod\.ts )?([a-z]+)\b/gm)) {
    assert.doesNotMatch((await runHere([name!, "--help"])).output, BY_NAME, name!);
  }
});
