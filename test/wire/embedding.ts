/**
 * What does somebody's own program look like that is built on the library, and misbehaves? It serves one resource that is
 * fine, and others of which each goes wrong in its own way when it is read.
 */
// deno-lint-ignore-file no-console

import type { Resource, ResourceProvider } from "../../mod.ts";
import { createServer, loadPlatform, protectOutput, RpcError, stdioTransport } from "../../mod.ts";

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What happens when a resource is read, by the last part of its URI. */
const READINGS: Readonly<Record<string, () => string | Promise<string>>> = {
  "fine": () => "fine",
  "slow": () => later(300).then(() => "slow"),
  "throws": () => {
    throw new Error("secret of a throw");
  },
  "rejects": () => later(5).then(() => Promise.reject(new Error("secret of a rejection"))),
  "refuses": () => {
    throw new RpcError(-32602, "Closed on Sundays");
  },
  "forgets": () => {
    void Promise.reject(new Error("a promise that nobody awaits"));
    return "forgets";
  },
  "times-out": () => {
    setTimeout(() => {
      throw new Error("a throw in a timer");
    }, 0);
    return "times-out";
  },
  "prints": () => {
    for (const print of [console.log, console.info, console.debug, console.warn, console.error]) {
      print("printed");
    }
    console.table([{ a: 1 }]);
    console.dir({ a: 1 }, { depth: 0 });
    console.dirxml({ a: 1 });
    console.group("group");
    console.groupCollapsed("another");
    console.groupEnd();
    console.groupEnd();
    console.count();
    console.countReset();
    console.time();
    console.timeLog();
    console.timeEnd();
    console.trace("trace");
    console.assert(false, "assertion");
    console.clear();
    return "prints";
  },
};

const resources: Resource[] = Object.keys(READINGS).map((name) => ({ uri: `test://${name}`, name }));
let lists = 0;

const provider: ResourceProvider = {
  list() {
    if (++lists === 1) throw new Error("secret of a list");
    return resources;
  },
  async read(uri) {
    const reading = READINGS[uri.replace("test://", "")];
    return reading && [{ uri, text: await reading() }];
  },
};

const platform = await loadPlatform();
protectOutput();
platform.onUncaught((cause) => console.error("uncaught:", (cause as Error).message));
const server = createServer({
  info: { name: "embedding", version: "1" },
  resources: [provider],
  onfailure: (cause) => console.log("failure:", (cause as Error).message),
});
const conversation = await server.connect(stdioTransport(platform));
platform.onInterrupt(() => conversation.end());
await conversation.closed;
console.log("the end");
