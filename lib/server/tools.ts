/**
 * Which tools are there? None yet: the list is served, empty, because clients ask for it whatever is declared.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { WrittenObject } from "../jsonrpc/encode.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./methods.ts";
import { listPage } from "./pages.ts";
import { own } from "./params.ts";

const NO_TOOLS: readonly never[] = Object.freeze([]);

/** Answers `tools/list`. */
export function listTools(context: ExecutionContext, services: Services): WrittenObject {
  return listPage<never>({
    member: "tools",
    items: NO_TOOLS,
    cursor: own(context.params, "cursor"),
    pageSize: services.pageSize,
    form: "",
    keyOf: () => "",
    present: () => undefined,
  });
}
