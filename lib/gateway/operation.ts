/** Reads an operation of an OpenAPI document: its parameters, its body and its successful answer. */

import type { Operation, ResponseShape } from "./endpoint.ts";
import type { Source } from "./operation_source.ts";
import { asArray, asObject } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import { SAFE_METHODS } from "./endpoint.ts";
import { recover } from "./errors.ts";
import { mediaKind } from "./media_kind.ts";
import { mediaOf } from "./openapi_3_2.ts";
import { readBodies } from "./operation_body.ts";
import { readParameters } from "./operation_parameters.ts";
import { trimmed } from "./operation_source.ts";

/** The maximum length of a description in characters: some clients reject more than 1,024. */
const MAX_DESCRIPTION = 900;
const MAX_TITLE = 100;

/** Reads an operation. @throws {GatewayError} When it cannot be served. */
export function readOperation(source: Source): Omit<Operation, "credentials"> {
  const { name, method, path, operation } = source;
  const bodies = readBodies(source);
  const parameters = readParameters(source, bodies.length);
  const { summary, description, tags, deprecated } = operation;
  const title = trimmed(summary);
  const words = `${deprecated === true ? "Deprecated. " : ""}${trimmed(description) ?? title ?? ""}`;
  const cut = (text: string, most: number) => source.isOwn ? text : shortened(text, most);
  return {
    name,
    title: title && cut(title, MAX_TITLE),
    description: cut(words.trim(), MAX_DESCRIPTION),
    method,
    path,
    tags: asArray(tags).filter((tag) => typeof tag === "string"),
    isSafe: SAFE_METHODS.has(method),
    isAllowed: false,
    parameters,
    bodies,
    definitions: source.sent.definitions,
    ...readResponse(source),
    timeoutMs: undefined,
  };
}

/** The value of `Accept`, and the shape of a successful answer if it has a usable JSON schema. */
function readResponse(source: Source): Pick<Operation, "response" | "accept"> {
  const { document, answered, onremark, method, operation: { responses } } = source;
  const good = Object.entries(asObject(responses)).filter(([status]) => /^2(?:\d\d|XX)$/.test(status));
  const media = good.flatMap(([status, response]) =>
    mediaOf(document.object(response, `the response ${status}`)["content"], document)
  );
  const json = media.filter(([type]) => mediaKind(type) === "json");
  const types = new Set((json.length > 0 ? json : media).map(([type]) => type));
  const accept = [...types].join(", ") || "*/*";
  const written = json[0]?.[1]["schema"];
  if (method === "HEAD" || written === undefined) return { accept, response: undefined };
  const isOnly = good.length === 1 && media.length === 1;
  const { definitions } = answered;
  const read = (): ResponseShape | undefined => ({ schema: answered.read(written), definitions, isOnly });
  const response = recover(read, ({ reason }) => void onremark(withoutOutput(reason)));
  return { accept, response };
}

/** A remark: the tool has no output schema. */
export function withoutOutput(reason: string): string {
  return `It has no output schema: ${reason}`;
}
