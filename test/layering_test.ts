/** Checks the imports of every module against the planned layers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LATER, modulesOf } from "../lib/cli/vendor/sources.ts";
import { codeOf, imports, importsOf, modules, textOf } from "./harness/modules.ts";

/** From the ground up: a folder imports only from those before it in the list, and so do the folders inside it. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  "lib": [
    ...["base", "platform", "formats", "search", "jsonrpc", "mcp", "documents", "gateway", "pages", "cli"],
  ],
  "lib/mcp": ["protocol", "server", "client", "http"],
  // Files that are in `documents` itself are between its folders.
  "lib/documents": ["records", "code", "", "prompts", "skills"],
};
/** The network code of the platform: contracts, the adapters of the runtimes, and what loads one when it is first needed. */
const NETWORK_CODE =
  /^lib\/platform\/(?:network|load_network|tcp|http|node_http|web_http|request|addresses|deno_net|node_net)\.ts$/;
const NETWORK_LOADER = /^lib\/platform\/load_network\.ts$/;
const NETWORK_ADAPTERS = /^lib\/platform\/(?:deno|node)_net\.ts$/;
/** Sends the requests that `fetch` refuses. */
const REQUEST_SENDER = /^lib\/platform\/request\.ts$/;
/** Looks up host names. */
const NAME_SERVICE = /^lib\/platform\/addresses\.ts$/;
const NETWORK_MODULES = /^node:(?:net|http|https|http2|dgram|tls|dns)(?:\/|$)/;
/** Sub-commands that ask for a network, which the program opens when it is told to and at no other time. */
const NETWORK_COMMANDS = /^lib\/cli\/(?:http\w*|gateway|inspect\w*|listening|page)\.ts$/;
/** The only module that starts other programs, and the only one that writes files. */
const PROGRAM_STARTER = "lib/platform/program.ts";
const FILE_WRITER = "lib/platform/write.ts";

/** Modules that few may import. */
interface Door {
  readonly to: RegExp;
  /** The modules that may. */
  readonly from: RegExp;
  /** Those of them that may only when the module is needed. */
  readonly lazily?: RegExp;
  /** Whether all may import types. @default {false} */
  readonly types?: boolean;
}
const NONE = /^$/;
const DOORS: readonly Door[] = [
  // The platform is passed in, but for its network and process parts.
  { to: NETWORK_ADAPTERS, from: NETWORK_LOADER, lazily: /./ },
  {
    to: NETWORK_LOADER,
    from:
      /^lib\/(?:cli\/http_metrics|jsonrpc\/transport\/tcp|mcp\/http\/listen|mcp\/client\/loopback_login|pages\/server)\.ts$/,
    lazily: /client/,
  },
  { to: REQUEST_SENDER, from: /^lib\/gateway\/gateway\.ts$/, lazily: /./ },
  { to: /^lib\/platform\/(?:deno|node)\.ts$/, from: /^lib\/platform\/load\.ts$/, lazily: /./ },
  { to: /^lib\/platform\/load\.ts$/, from: /^(?:mod|deps|lib\/(?:cli\/main|mcp\/server\/serve_stdio))\.ts$/ },
  { to: /^lib\/platform\/streams\.ts$/, from: /^lib\/platform\// },
  { to: /^lib\/platform\/self\.ts$/, from: /^lib\/cli\/config\.ts$/ },
  {
    to:
      /^lib\/platform\/(?!(?:(?:deno|node)(?:_net)?|platform|load|self|network|load_network|streams|tcp|(?:node_|web_)?http|request|addresses|program|owner|write)\.ts$)/,
    from: NONE,
  },
  {
    to: NETWORK_MODULES,
    from: new RegExp([NETWORK_ADAPTERS, REQUEST_SENDER, NAME_SERVICE].map(({ source }) => source).join("|")),
  },
  { to: NAME_SERVICE, from: /^lib\/(?:gateway\/gateway|mcp\/client\/authorized_fetch)\.ts$/, lazily: /./ },
  { to: /^node:child_process$/, from: /^lib\/platform\/program\.ts$/ },
  { to: /^node:(?:worker_threads|crypto)$/, from: NONE },
  // Only the client and the command that opens a browser start programs, and only some commands write.
  { to: /^lib\/platform\/program\.ts$/, from: /^lib\/(?:mcp\/client\/|cli\/page\.ts$)/ },
  {
    to: /^lib\/platform\/(?:owner|write)\.ts$/,
    from: /^lib\/cli\/transaction\.ts$/,
    lazily: /./,
    types: true,
  },
  {
    to: /^lib\/cli\/(?:folder_lock|transaction)\.ts$/,
    from: /^lib\/cli\/(?:transaction|write)\.ts$/,
    types: true,
  },
  {
    to: /^lib\/cli\/write\.ts$/,
    from: /^lib\/cli\/(?:init|records|export|site|vendor\/vendor)\.ts$/,
    types: true,
  },
  {
    to: /^lib\/cli\/(?:init|records|export|site|vendor\/vendor)\.ts$/,
    from: /^lib\/cli\/(?:commands|init|records|export|site|vendor\/vendor)\.ts$/,
    lazily: /commands/,
  },
  // Requests are sent by the gateway, which only its own command loads, and for keys of tokens, when told to.
  { to: /^lib\/gateway\//, from: /^lib\/(?:gateway\/|cli\/gateway\.ts$)/, types: true },
  { to: /^lib\/cli\/gateway\.ts$/, from: /./, lazily: /./, types: true },
  {
    to: /^lib\/mcp\/http\/(?:jwt|jwks)\.ts$/,
    from: /^lib\/(?:mcp\/http\/(?:jwt|mod)|cli\/http_access)\.ts$/,
    lazily: /cli/,
    types: true,
  },
  { to: /^lib\/mcp\/http\/mod\.ts$/, from: /^(?!lib\/)/, types: true },
];
/** The floor of a module in a folder, as a number; undefined outside of the folder. */
function floorOf(module: string, folder: string): number | undefined {
  if (!module.startsWith(`${folder}/`)) return undefined;
  const names = module.slice(folder.length + 1).split("/");
  const name = names.length > 1 ? names[0]! : "";
  const floor = FLOORS[folder]!.indexOf(name);
  assert.notEqual(floor, -1, `${module} is on no floor of ${folder}`);
  return floor;
}

test("a folder imports only from the folders below it", () => {
  for (const { from, to } of imports) {
    for (const folder of Object.keys(FLOORS)) {
      const [own, other] = [floorOf(from, folder), floorOf(to, folder)];
      if (own === undefined || other === undefined) continue;
      assert.ok(other <= own, `${from} must not import ${to}`);
    }
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

test("modules for a few are imported by these alone", () => {
  for (const { to: target, from: allowed, lazily = NONE, types = false } of DOORS) {
    for (const { from, to, lazy, typeOnly } of imports) {
      if (!target.test(to) || (types && typeOnly)) continue;
      assert.ok(allowed.test(from) && (lazy || !lazily.test(from)), `${from} must not import ${to}`);
    }
  }
});

/** Every function of both runtimes that changes a file, a folder or a link. */
const CHANGING =
  /\b(?:fs|Deno)\.(?:append|chmod|chown|copy|cp|create|fchmod|fchown|fdatasync|fsync|ftruncate|futime|lchown|link|lutimes|makeTemp|mkdir|mkdtemp|promises|remove|rename|rm|symlink|truncate|unlink|utime|write(?!Sync\(descriptor, rest))/;

test("what reaches out of the process is used by these modules alone", () => {
  const using = (pattern: RegExp) => modules.filter((module) => pattern.test(codeOf(module)));
  assert.deepEqual(using(/globalThis\.fetch\b/), ["lib/gateway/gateway.ts", "lib/mcp/http/jwks.ts"]);
  assert.deepEqual(using(/\bDeno\.Command\b|\bspawn\(/), [PROGRAM_STARTER]);
  // One network adapter deletes the Unix socket that it made.
  const changing = modules.filter((module) =>
    CHANGING.test(codeOf(module).replace(NETWORK_ADAPTERS.test(module) ? "Deno.removeSync(path)" : "", ""))
  );
  assert.deepEqual(changing, [FILE_WRITER]);
  for (const module of modules) {
    const code = codeOf(module);
    if (/^lib\/platform\/(?:deno|node)\.ts$/.test(module)) {
      assert.doesNotMatch(code, /\bDeno\.(?:listen|connect|serve|createHttp)/, module);
      assert.doesNotMatch(code, /^ {2}(?:listen|connect|serve)\w*\(/m, module);
    }
    if (module === FILE_WRITER) continue;
    const names = /"node:fs\/promises"|\{[^}]*\} from "node:fs"/;
    assert.doesNotMatch(code, names, `${module} names functions of node:fs`);
    // Files are opened for reading.
    for (const [call] of code.matchAll(/\b(?:fs|Deno)\.open\w*\([^;]*/g)) {
      assert.match(call, /^(?:fs\.openSync\(path, fs\.constants\.O_RDONLY|Deno\.openSync\(path\))/, module);
    }
  }
});

test("the modules that vendor leaves out are loaded when they are needed, and by nothing else", () => {
  for (const module of Object.values(LATER).flat()) {
    const ways = imports.filter(({ to, typeOnly }) => to === module && !typeOnly);
    assert.ok(
      ways.some(({ lazy }) => lazy),
      `nothing loads ${module} later: lib/cli/vendor/sources.ts names it`,
    );
  }
  const copied = modulesOf(["serve"], textOf);
  for (const module of copied) {
    assert.doesNotMatch(module, /^lib\/(?:search|pages|gateway|mcp\/(?:client|http))\//);
  }
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
      /lib\/(?:documents\/(?!(?:prompts\/)?provider\.ts$)|(?:formats|search|gateway|pages|mcp\/(?:http|client))\/)/
        .test(module) || NETWORK_CODE.test(module)
    ),
    [],
  );
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

test("the program starts no other and has no network, now or later, but for the commands that ask for one", () => {
  const reached = reachable();
  // What is loaded later has been followed too.
  for (
    const later of [
      "lib/platform/deno.ts",
      "lib/platform/node.ts",
      "lib/cli/show.ts",
      "lib/mcp/server/tool_call.ts",
    ]
  ) {
    assert.ok(reached.has(later), later);
  }
  for (const [module, from] of reached) {
    for (const network of [NETWORK_MODULES, NETWORK_CODE, /http/]) {
      assert.doesNotMatch(module, network, from);
    }
    assert.notEqual(module, PROGRAM_STARTER, from);
    if (modules.includes(module)) {
      // The script of pages is text here, and runs in a browser.
      const code = module === "lib/pages/assets.ts"
        ? codeOf(module).replace(/`[^`]*`/g, '""')
        : codeOf(module);
      assert.doesNotMatch(code, /\bfetch\(|\bWebSocket\b|\bEventSource\b/, module);
    }
  }
});
