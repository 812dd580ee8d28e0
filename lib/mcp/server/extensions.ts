/** Adds extensions of the protocol to a server: methods, and resources of a scheme. */

import type { ResourceContents } from "../protocol/types.ts";
import type { ExecutionContext } from "./context.ts";
import type { Extension, ExtensionMethods, ResourceProvider } from "./provider.ts";
import type { ServedMethod, Services } from "./services.ts";
import { onceDone } from "../../base/async.ts";
import { own } from "../../base/json.ts";

/**
 * Adds the methods of an extension; returns the provider of its resources. @throws {TypeError} When a method cannot be used.
 */
export function addExtension(
  { id, accepts, methods = [], scheme, load }: Extension,
  served: Map<string, ServedMethod>,
  services: () => Services,
): ResourceProvider[] {
  const fail = (method: string, fault: string): never => {
    throw new TypeError(`Cannot use the method "${method}" of the extension "${id}": ${fault}`);
  };
  let loaded: ExtensionMethods = {};
  const ready = onceDone(async () => void (loaded = await load!()));
  const answer = async (method: string, context: ExecutionContext, uri: string = "") => {
    await ready();
    const handler = own(loaded, method) as ExtensionMethods[string] | undefined;
    return await (handler ?? fail(method, "its load() does not give it"))(context, services(), uri);
  };
  const [first] = scheme === undefined ? methods : [...methods, "resources/read"];
  if (!load && first !== undefined) fail(first, "the extension has no load()");
  for (const method of methods) {
    if (accepts) fail(method, "an extension that has accepts() cannot add methods");
    if (served.has(method)) fail(method, "the server or another extension has it already");
    served.set(method, { era: "modern", ttlMs: 0, handler: (context) => answer(method, context) });
  }
  if (scheme === undefined) return [];
  const read: ResourceProvider["read"] = async (uri, context) => {
    const isGiven = accepts?.(context.client) ?? context.revision.era === "modern";
    if (!isGiven || !uri.toLowerCase().startsWith(`${scheme}:`)) return undefined;
    return await answer("resources/read", context, uri) as ResourceContents[];
  };
  return [{ list: () => [], read }];
}
