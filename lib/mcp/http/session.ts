/** The types of a session of a legacy client, as one process serves it. */

import type { Connection } from "../../jsonrpc/connection.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { Session } from "../server/session.ts";
import type { Server } from "../server/server.ts";
import type { LogLevel } from "../server/log_level.ts";
import type { ReplayStream } from "./replay.ts";
import type { Share } from "./shares.ts";

/**
 * Why a process stops serving a session: the client ended it, it expired, it was idle, its client began too many others
 * ("evicted"), or the server closes. After the last three the client may continue: then the session starts again with an
 * empty state.
 */
export type SessionEnd = "ended" | "expired" | "idle" | "evicted" | "closed";

/**
 * A session of a client up to 2025-11-25, as this process serves it. Its methods send on the notification stream. Without one
 * they send nothing and return false.
 */
export interface HttpSession {
  /** The `sessionId` of handlers. */
  readonly id: string;
  /** The principal that began it; undefined without authentication. */
  readonly principal: string | undefined;
  /** The revision, and what the client says about itself. */
  readonly negotiated: Negotiated;
  /** The `sessionState` of handlers. It is only in the memory of this process. */
  readonly state: Map<string, unknown>;
  /** Reports that a resource has changed. Also returns false if the client has not subscribed to it. */
  resourceUpdated(uri: string): boolean;
  /** Reports that a list has changed. Also returns false if the server does not declare such changes. */
  listChanged(list: "resources" | "prompts"): boolean;
  /** Sends a log message. Also returns false if the client does not want that level. */
  log(level: LogLevel, data: unknown, logger?: string): boolean;
}

/** A session, and what this process needs to serve it. */
export interface ServedSession extends HttpSession {
  /** When it expires, in milliseconds since 1970. */
  readonly expires: number;
  /** The `Mcp-Session-Id`. */
  readonly token: string;
  readonly share: Share;
  readonly mcp: Session;
  readonly connection: Connection;
  /** When it was last used, in milliseconds since 1970. */
  usedAt: number;
  /** Whether requests that have already found it must not continue. */
  isEnded: boolean;
  /** The notification stream, while the client has one. */
  notices?: ReplayStream | undefined;
  /** Reports changes on the notification stream. */
  changes?: ReturnType<Server["reportChanges"]>;
}
