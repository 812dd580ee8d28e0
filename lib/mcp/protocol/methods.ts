/** The methods and notifications of MCP, the extensions that are served, and the keys of `_meta`: one table each. */

import type { ConnectionOptions } from "../../jsonrpc/connection.ts";
import type { ClientFacts, Era } from "./revisions.ts";
import { asArray, asObject } from "../../base/json.ts";
import { STRINGS_AND_INTEGERS } from "../../jsonrpc/message.ts";

/** What the protocol defines for a method that servers answer. */
export interface MethodRow {
  /** The eras whose revisions have it. */
  readonly era: Era | "both";
  /** The member of the params that the header field `Mcp-Name` repeats. */
  readonly nameParam?: "name" | "uri";
  /** Its results carry `ttlMs`: how long a client may cache one, in milliseconds. */
  readonly ttlMs?: number;
  /** Its handler may ask the client for input (elicitation, sampling, roots). */
  readonly mayAskClient?: boolean;
}

/**
 * The methods that servers answer. Documents and prompts change while clients are connected, so their results must not be
 * cached. The tools and capabilities of a server do not change while it runs, so theirs may be, for an hour.
 */
const ROWS = {
  "initialize": { era: "legacy" },
  "ping": { era: "legacy" },
  "server/discover": { era: "modern", ttlMs: 3_600_000 },
  "resources/list": { era: "both", ttlMs: 0 },
  "resources/templates/list": { era: "both", ttlMs: 0 },
  "resources/read": { era: "both", ttlMs: 0, nameParam: "uri", mayAskClient: true },
  "resources/subscribe": { era: "legacy" },
  "resources/unsubscribe": { era: "legacy" },
  "subscriptions/listen": { era: "modern" },
  "prompts/list": { era: "both", ttlMs: 0 },
  "prompts/get": { era: "both", nameParam: "name", mayAskClient: true },
  "completion/complete": { era: "both" },
  "tools/list": { era: "both", ttlMs: 3_600_000 },
  "tools/call": { era: "both", nameParam: "name", mayAskClient: true },
  "logging/setLevel": { era: "legacy" },
} as const;

export type Method = keyof typeof ROWS;

export const METHODS: ReadonlyMap<string, MethodRow> = new Map(Object.entries<MethodRow>(ROWS));

/** The extension that serves skills. @see https://github.com/modelcontextprotocol/ext-skills */
export const SKILLS = {
  id: "io.modelcontextprotocol/skills",
  settings: { directoryRead: true },
  scheme: "skill",
  methods: ["skills/list", "skills/get", "resources/directory/read"],
} as const;

/** The extension of clients that show views of tools (MCP Apps). @see https://github.com/modelcontextprotocol/ext-apps */
export const APPS = {
  id: "io.modelcontextprotocol/ui",
  mimeType: "text/html;profile=mcp-app",
  scheme: "ui",
} as const;

/** Whether a client shows views that are HTML. */
export function showsApps({ capabilities }: Pick<ClientFacts, "capabilities">): boolean {
  const settings = asObject(asObject(capabilities["extensions"])[APPS.id]);
  return asArray(settings["mimeTypes"]).includes(APPS.mimeType);
}

/** The names of the notifications. */
export const Notifications = {
  acknowledged: "notifications/subscriptions/acknowledged",
  cancelled: "notifications/cancelled",
  elicitationComplete: "notifications/elicitation/complete",
  initialized: "notifications/initialized",
  message: "notifications/message",
  progress: "notifications/progress",
  promptsChanged: "notifications/prompts/list_changed",
  resourcesChanged: "notifications/resources/list_changed",
  resourceUpdated: "notifications/resources/updated",
  toolsChanged: "notifications/tools/list_changed",
} as const;

/**
 * What MCP adds to JSON-RPC, for every connection: which ids requests may have, and how requests are cancelled.
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

/** The keys of `_meta` that the specification defines. */
export const Meta = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;
