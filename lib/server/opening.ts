/**
 * How does a conversation open? With a handshake up to 2025-11-25, with a question that nobody has to ask since.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */

import type { ExecutionContext } from "./context.ts";
import type { Services } from "./methods.ts";
import type { Revision } from "../protocol/revisions.ts";
import { MODERN_IDS, negotiate } from "../protocol/revisions.ts";
import { stringParam } from "./params.ts";

/** Answers `initialize`; the connection takes note of what was agreed. */
export function initialize(context: ExecutionContext, services: Services): unknown {
  const revision = negotiate(stringParam(context.params, "protocolVersion"));
  return {
    protocolVersion: revision.id,
    capabilities: capabilities(services, revision),
    serverInfo: serverInfo(services, revision),
    ...(services.instructions === undefined ? {} : { instructions: services.instructions }),
  };
}

/** Answers `server/discover`. */
export function discover(context: ExecutionContext, services: Services): unknown {
  return {
    supportedVersions: MODERN_IDS,
    capabilities: capabilities(services, context.revision),
    ...(services.instructions === undefined ? {} : { instructions: services.instructions }),
  };
}

/** Answers `ping`. */
export function ping(): unknown {
  return {};
}

/** What this server says of itself, in the terms of a revision. */
export function serverInfo(services: Services, revision: Revision): unknown {
  const { title, ...info } = services.info;
  return revision.titles && title !== undefined ? { ...info, title } : info;
}

/** Exactly what is served. */
function capabilities(services: Services, revision: Revision): unknown {
  const { changes } = services;
  const completes = [...services.resources, ...services.prompts].some((provider) => provider.values);
  return {
    ...(services.resources.length > 0
      ? { resources: changes.tells("resources") ? { listChanged: true, subscribe: true } : {} }
      : {}),
    ...(services.prompts.length > 0
      ? { prompts: changes.tells("prompts") ? { listChanged: true } : {} }
      : {}),
    ...(services.tools.isEmpty ? {} : { tools: {} }),
    ...(services.logging ? { logging: {} } : {}),
    ...(completes && revision.completionsCapability ? { completions: {} } : {}),
  };
}
