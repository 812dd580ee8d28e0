/** Checks the imports of every module against the planned layers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, imports, importsOf, modules, textOf } from "./harness/modules.ts";

/**
 * Which folder of `lib/` may import from which. `base` imports nothing and may be imported by all, `deps.ts` too: it holds
 * types and the choice of a platform. `platform` is passed in as a value, but for that choice and its network and process
 * parts.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  platform: [],
  jsonrpc: [],
  transport: ["jsonrpc", "platform"],
  rpc: ["transport", "jsonrpc", "platform"],
  protocol: ["jsonrpc"],
  schema: [],
  server: ["protocol", "schema", "jsonrpc"],
  search: [],
  markdown: [],
  documents: ["search", "server", "protocol", "jsonrpc"],
  prompts: ["documents", "server", "protocol", "jsonrpc"],
  http: ["server", "protocol", "schema", "jsonrpc", "platform"],
  client: ["protocol", "schema", "transport", "jsonrpc", "platform"],
  skills: ["documents", "prompts", "server", "client", "protocol", "jsonrpc"],
  gateway: ["search", "server", "protocol", "schema", "jsonrpc", "platform"],
  graph: ["documents"],
  page: ["markdown", "documents", "graph", "search", "server", "protocol", "http", "platform"],
  cli: [
    "schema",
    "documents",
    "prompts",
    "jsonrpc",
    "transport",
    "protocol",
    "server",
    "http",
    "gateway",
    "client",
    "skills",
    "graph",
    "page",
    "platform",
  ],
};
/** The network contracts of the platform, which load an adapter when a network is first asked for. */
const NETWORK_SEAMS = /^lib\/platform\/(?:tcp|http)\.ts$/;
/** The network adapters, imported by those contracts only. */
const NETWORK_ADAPTERS = /^lib\/platform\/(?:deno|node)_net\.ts$/;
const NETWORK_MODULES = /^node:(?:net|http|https|http2|dgram|tls|dns)(?:\/|$)/;
/** Sub-commands that ask for a network, which the program opens when it is told to and at no other time. */
const NETWORK_COMMANDS = /^lib\/cli\/(?:http|gateway|inspect|page)\.ts$/;
/** The only module that starts other programs. */
const PROGRAM_STARTER = "lib/platform/program.ts";
/** The only module that writes files, the only one that imports it, and the commands that import that one. */
const FILE_WRITER = "lib/platform/write.ts";
const WRITER = "lib/cli/write.ts";
const WRITING_COMMANDS = /^lib\/cli\/(?:records|export|site)\.ts$/;
/** Contracts that may be used as types anywhere, because types are gone at run time. */
const FREE_TYPES: ReadonlySet<string> = new Set(["lib/transport/transport.ts"]);

function folderOf(module: string): string {
  return module.split("/")[1] ?? module;
}

test("every import follows an arrow of the plan", () => {
  for (const { from, to, typeOnly } of imports) {
    if (!from.startsWith("lib/") || !to.startsWith("lib/") || folderOf(from) === folderOf(to)) continue;
    if (typeOnly && FREE_TYPES.has(to)) continue;
    const allowed = folderOf(to) === "base" || ARROWS[folderOf(from)]?.includes(folderOf(to));
    assert.ok(allowed, `${from} must not import ${to}`);
  }
});

test("nothing is imported from outside: no package, no URL, and node: only in the platform", () => {
  for (const { from, to } of imports) {
    if (modules.includes(to)) continue;
    assert.ok(to.startsWith("node:") && from.startsWith("lib/platform/"), `${from} must not import ${to}`);
  }
});

test("a runtime is named only in the platform", () => {
  for (const module of modules) {
    if (module.startsWith("lib/platform/")) continue;
    const code = codeOf(module).replaceAll('"Deno" in globalThis', "");
    assert.doesNotMatch(code, /\bDeno\.|\bprocess\.|\bBuffer\b|(?<![.#])\brequire\(/, module);
  }
});

test("requests are sent by the gateway, which only its own command loads, and for keys of tokens, when told to", () => {
  const using = modules.filter((module) => /globalThis\.fetch\b/.test(codeOf(module)));
  assert.deepEqual(using, ["lib/gateway/gateway.ts", "lib/http/jwt.ts"]);
  const loading = imports.filter(({ to, typeOnly }) => to === "lib/http/jwt.ts" && !typeOnly);
  assert.deepEqual(loading.map(({ from, lazy }) => [from, lazy]), [["lib/cli/http.ts", true], [
    "lib/http/mod.ts",
    false,
  ]]);
  assert.ok(
    imports.every(({ from, to, typeOnly }) =>
      to !== "lib/http/mod.ts" || typeOnly || !from.startsWith("lib/")
    ),
  );
  const doors = imports.filter(({ from, to, typeOnly }) =>
    !typeOnly && !from.startsWith("lib/gateway/") && to.startsWith("lib/gateway/")
  );
  assert.deepEqual(new Set(doors.map(({ from }) => from)), new Set(["lib/cli/gateway.ts"]));
  assert.ok(imports.every(({ to, lazy, typeOnly }) => to !== "lib/cli/gateway.ts" || lazy || typeOnly));
});

test("modules do not import each other in a circle", () => {
  const edges = Map.groupBy(imports.filter(({ typeOnly, lazy }) => !typeOnly && !lazy), ({ from }) => from);
  const done = new Set<string>();
  const follow = (module: string, path: readonly string[]): void => {
    assert.ok(!path.includes(module), [...path, module].join(" -> "));
    if (done.has(module)) return;
    for (const { to } of edges.get(module) ?? []) follow(to, [...path, module]);
    done.add(module);
  };
  for (const module of modules) follow(module, []);
});

test("types are imported by whole statements, and names are exported one by one", () => {
  for (const module of modules) {
    const code = codeOf(module);
    assert.doesNotMatch(code, /^(?:import|export) \{[^}]*\btype /m, `${module} loads a file for its types`);
    assert.doesNotMatch(code, /^export \*/m, module);
  }
});

test("a file says what it is for in its first comment, and has 600 lines at most", () => {
  for (const module of modules) {
    const text = textOf(module);
    assert.ok(text.split("\n").length <= 601, `${module} is too long`);
    assert.match(text, /^(?:#!.*\n)?\/\*\*/, `${module} does not say what it is for`);
  }
});

test("the first answer loads only what it needs: no documents, no prompts, no network", () => {
  const loaded = new Set<string>();
  const load = (module: string): void => {
    if (loaded.has(module)) return;
    loaded.add(module);
    for (const { to, typeOnly, lazy } of importsOf(module)) {
      // The program's own doors are opened on every start.
      const opened = !lazy || /lib\/cli\/(?:main|serve)\.ts$|lib\/platform\/node\.ts$/.test(to);
      if (!typeOnly && opened && modules.includes(to)) load(to);
    }
  };
  load("mod.ts");
  assert.deepEqual(
    [...loaded].filter((module) =>
      /lib\/(?:(?:documents|prompts)\/(?!provider\.ts$)|(?:search|http|gateway|client)\/)|_net\.ts$/.test(
        module,
      )
    ),
    [],
  );
  assert.ok(loaded.size <= 27, `${loaded.size} modules are loaded before the first answer`);
  for (const { from, to } of imports) {
    assert.doesNotMatch(to, /^node:(?:worker_threads|crypto)$/, from);
  }
});

test("only the network and process parts of the platform are imported; everything else of it is passed in", () => {
  const loader = "lib/platform/load.ts";
  for (const { from, to, lazy } of imports) {
    if (!to.startsWith("lib/platform/")) continue;
    if (NETWORK_ADAPTERS.test(to)) {
      assert.ok(lazy && /^lib\/platform\/(?:tcp|http)\.ts$/.test(from), `${from} must not import ${to}`);
    } else if (/^lib\/platform\/(?:deno|node)\.ts$/.test(to)) assert.ok(lazy && from === loader, from);
    else if (to === loader) assert.ok(["mod.ts", "deps.ts", "lib/cli/main.ts"].includes(from), from);
    else if (to === "lib/platform/self.ts") assert.equal(from, "lib/cli/config.ts");
    else if (to !== PROGRAM_STARTER && to !== FILE_WRITER) assert.match(to, NETWORK_SEAMS, from);
  }
});

test("only the network adapters use the network of a runtime", () => {
  for (const { from, to } of imports) {
    if (NETWORK_MODULES.test(to)) assert.match(from, NETWORK_ADAPTERS, `${from} must not import ${to}`);
  }
  for (const module of modules) {
    if (!/^lib\/platform\/(?:deno|node)\.ts$/.test(module)) continue;
    assert.doesNotMatch(codeOf(module), /\bDeno\.(?:listen|connect|serve|createHttp)/, module);
    assert.doesNotMatch(codeOf(module), /^ {2}(?:listen|connect|serve)\w*\(/m, module);
  }
});

/** All modules that the program loads, now or later, with their importer, but for the commands that ask for a network. */
function reachable(): ReadonlyMap<string, string> {
  const reached = new Map<string, string>();
  const reach = (module: string, from: string): void => {
    if (reached.has(module) || NETWORK_COMMANDS.test(module)) return;
    reached.set(module, from);
    if (!modules.includes(module)) return;
    for (const { to, typeOnly } of importsOf(module)) if (!typeOnly) reach(to, module);
  };
  reach("mod.ts", "");
  return reached;
}

test("one module writes files, and only the commands that write load it, when they are run", () => {
  for (const { from, to, lazy, typeOnly } of imports) {
    if (to === FILE_WRITER && !typeOnly) assert.ok(from === WRITER && lazy, `${from} must not import ${to}`);
    if (to === WRITER) assert.match(from, WRITING_COMMANDS, `${from} must not import ${to}`);
    if (WRITING_COMMANDS.test(to) && !WRITING_COMMANDS.test(from)) {
      assert.ok(from === "lib/cli/commands.ts" && lazy, `${from} must not import ${to}`);
    }
  }
  // Every function of both runtimes that changes a file, a folder or a link.
  const changing =
    /\b(?:fs|Deno)\.(?:append|chmod|chown|copy|cp|create|fchmod|fchown|fdatasync|fsync|ftruncate|futime|lchown|link|lutimes|makeTemp|mkdir|mkdtemp|promises|remove|rename|rm|symlink|truncate|unlink|utime|write(?!Sync\(descriptor, rest))/;
  // One network adapter deletes the Unix socket that it made.
  const codeWithoutSocket = (module: string) =>
    NETWORK_ADAPTERS.test(module) ? codeOf(module).replace("Deno.removeSync(path)", "") : codeOf(module);
  const writing = modules.filter((module) => changing.test(codeWithoutSocket(module)));
  assert.deepEqual(writing, [FILE_WRITER]);
  for (const module of modules) {
    if (module === FILE_WRITER) continue;
    const code = codeOf(module);
    assert.doesNotMatch(
      code,
      /"node:fs\/promises"|\{[^}]*\} from "node:fs"/,
      `${module} names functions of node:fs`,
    );
    // Files are opened for reading.
    for (const [call] of code.matchAll(/\b(?:fs|Deno)\.open\w*\([^;]*/g)) {
      assert.match(call, /^(?:fs\.openSync\(path, fs\.constants\.O_RDONLY|Deno\.openSync\(path\))/, module);
    }
  }
});

test("the program starts no other and has no network, now or later, but for the commands that ask for one", () => {
  const reached = reachable();
  // What is loaded later has been followed too.
  for (
    const later of ["lib/platform/deno.ts", "lib/platform/node.ts", "lib/cli/show.ts", "lib/server/tools.ts"]
  ) {
    assert.ok(reached.has(later), later);
  }
  for (const [module, from] of reached) {
    for (const network of [NETWORK_MODULES, NETWORK_SEAMS, NETWORK_ADAPTERS, /http/]) {
      assert.doesNotMatch(module, network, from);
    }
    assert.notEqual(module, PROGRAM_STARTER, from);
    if (modules.includes(module)) {
      // The script of pages is text here, and runs in a browser.
      const code = module === "lib/page/assets.ts"
        ? codeOf(module).replace(/`[^`]*`/g, '""')
        : codeOf(module);
      assert.doesNotMatch(code, /\bfetch\(|\bWebSocket\b|\bEventSource\b/, module);
    }
  }
});

test("one module starts other programs, and only the client and the command that opens a browser import it", () => {
  for (const { from, to } of imports) {
    if (to === "node:child_process") assert.equal(from, PROGRAM_STARTER);
    if (to === PROGRAM_STARTER) assert.match(from, /^lib\/(?:client\/|cli\/page\.ts$)/);
  }
  const starting = modules.filter((module) => /\bDeno\.Command\b|\bspawn\(/.test(codeOf(module)));
  assert.deepEqual(starting, [PROGRAM_STARTER]);
});
