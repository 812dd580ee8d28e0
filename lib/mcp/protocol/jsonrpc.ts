/** What MCP adds to JSON-RPC: which ids requests may have, and how requests are cancelled. */

import type { ConnectionOptions } from "../../jsonrpc/connection.ts";
import { asObject } from "../../base/json.ts";
import { STRINGS_AND_INTEGERS } from "../../jsonrpc/message.ts";
import { Notifications } from "./methods.ts";

/**
 * The options of every connection that speaks MCP.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/cancellation
 */
export const MCP_JSON_RPC: Required<Pick<ConnectionOptions, "ids" | "cancellation">> = Object.freeze({
  ids: STRINGS_AND_INTEGERS,
  cancellation: {
    method: Notifications.cancelled,
    write: (requestId, reason) => ({ requestId, reason }),
    read(params) {
      const { requestId: id, reason } = asObject(params);
      return { id, reason };
    },
  },
});
