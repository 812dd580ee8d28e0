/** The first methods of a client: `initialize`, and since 2026-07-28 `server/discover`. */

import type { ClientFacts, Revision } from "../protocol/revisions.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./services.ts";
import { compact } from "../../base/json.ts";
import { stringParam } from "../protocol/errors.ts";
import { MODERN_REVISIONS, negotiatedRevision } from "../protocol/revisions.ts";

/** Answers `initialize`. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export function answerInitialize({ params, client }: ExecutionContext, services: Services): unknown {
  const revision = negotiatedRevision(stringParam(params, "protocolVersion"));
  const { title, ...info } = services.info;
  const serverInfo = compact({ ...info, title: revision.titles ? title : undefined });
  return { protocolVersion: revision.id, serverInfo, ...handshakeResult(services, revision, client) };
}

/** Answers `server/discover`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export function answerDiscover({ revision, client }: ExecutionContext, services: Services): unknown {
  return { supportedVersions: [...MODERN_REVISIONS.keys()], ...handshakeResult(services, revision, client) };
}

/** The members that both results have: capabilities and instructions. */
function handshakeResult(services: Services, revision: Revision, client: ClientFacts): object {
  const { changes, resources, prompts, extensions, options } = services;
  options.onhandshake?.();
  const supported = extensions.filter(({ accepts }) => accepts?.(client) ?? true);
  const settingsById = Object.fromEntries(supported.map(({ id, settings = {} }) => [id, settings]));
  const completes = [...resources, ...prompts].some((provider) => provider.values);
  const declare = (kind: "resources" | "prompts", watched: object) =>
    services[kind].length === 0 ? undefined : changes.reports(kind) ? watched : {};
  const capabilities = compact({
    resources: declare("resources", { listChanged: true, subscribe: true }),
    prompts: declare("prompts", { listChanged: true }),
    tools: services.tools.isEmpty ? undefined : {},
    logging: services.logging ? {} : undefined,
    completions: completes && revision.completionsCapability ? {} : undefined,
    extensions: supported.length > 0 && revision.era === "modern" ? settingsById : undefined,
  });
  return compact({ capabilities, instructions: options.instructions });
}
