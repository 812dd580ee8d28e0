/** What is published: names, versions and subpaths that several files repeat must agree. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as root from "../mod.ts";
import { VERSION } from "../lib/cli/program.ts";
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
