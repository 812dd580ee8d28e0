/**
 * What each revision of the protocol allows, and what is wrong with a message that a server wrote: by the official JSON
 * schemas or, where they are not at hand, by the schemas of the official packages, which are the same rules less strictly put.
 *
 * `INTEROP_SCHEMA` names the folder of the official schemas; by default they stand beside the repository.
 */

import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as formats from "ajv-formats";
import * as modern from "@modelcontextprotocol/core";
import * as legacy from "@modelcontextprotocol/sdk/types.js";

export const LEGACY_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const NEWEST_LEGACY = "2025-11-25";
export const MODERN_REVISION = "2026-07-28";
export const REVISIONS: readonly string[] = [...LEGACY_REVISIONS, MODERN_REVISION];
/** The prefix of everything that a modern request states in `_meta`. */
export const META_PREFIX = "io.modelcontextprotocol/";

/** A JSON-RPC message as it came; nothing about it is taken for granted. */
export type Message = Readonly<Record<string, unknown>>;

/** The rules of one revision. */
export interface Rules {
  readonly revision: string;
  readonly source: "official" | "packages";
  /** Whether the revision defines something of that name. */
  has(definition: string): boolean;
  /** What is wrong with a value that should be what a definition says. */
  problems(definition: string, value: unknown): readonly string[];
  /** Members that the definition does not have. Allowed, but what a server sends should be what clients can know. */
  unknownMembers(definition: string, value: unknown): readonly string[];
}

type Schema = Record<string, unknown>;

const FOLDER = process.env["INTEROP_SCHEMA"] ??
  fileURLToPath(new URL("../../../shared/spec/schema", import.meta.url));
const known = new Map<string, Rules>();

/** The rules of a revision. */
export function rulesOf(revision: string): Rules {
  const file = `${FOLDER}/${revision}.json`;
  const rules = known.get(revision) ??
    (existsSync(file)
      ? officialRules(revision, JSON.parse(readFileSync(file, "utf8")))
      : packageRules(revision));
  known.set(revision, rules);
  return rules;
}

function officialRules(revision: string, schema: Schema): Rules {
  const member = "$defs" in schema ? "$defs" : "definitions";
  const definitions = schema[member] as Record<string, Schema>;
  const open = compiler(schema, member);
  const closed = compiler(closedSchema(schema, member), member);
  return {
    revision,
    source: "official",
    has: (definition) => definition in definitions,
    problems: (definition, value) => errorsOf(open(definition), value),
    unknownMembers: (definition, value) =>
      errorsOf(closed(definition), value).filter((error) => error.includes("must NOT have additional")),
  };
}

function compiler(schema: Schema, member: string): (definition: string) => ValidateFunction {
  const options = { strict: false, allErrors: true } as const;
  const ajv = String(schema["$schema"]).includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  formats.default.default(ajv);
  ajv.addSchema(schema, "revision");
  return (definition) => ajv.getSchema(`revision#/${member}/${definition}`)!;
}

function errorsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || "/"} ${message} ${JSON.stringify(params)}`
  );
}

/** The same schema, but nothing may have members that it does not name; only what is meant to be open stays open. */
function closedSchema(schema: Schema, member: string): Schema {
  const copy = structuredClone(schema);
  for (const [name, definition] of Object.entries(copy[member] as Record<string, Schema>)) {
    if (!/Meta(?:Object)?$|Capabilities$|^Result$|^Error$/.test(name)) close(definition);
  }
  return copy;
}

function close(schema: Schema): void {
  const { properties = {}, items, anyOf = [], allOf } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    allOf?: Schema[];
  };
  if (schema["properties"] && !allOf) schema["additionalProperties"] ??= false;
  for (const [name, member] of Object.entries(properties)) {
    // A tool's own schemas may say whatever JSON Schema can.
    if (!/^(?:input|output)Schema$/.test(name)) close(member);
  }
  for (const inner of [...(items ? [items] : []), ...anyOf]) close(inner);
}

interface Parser {
  safeParse(value: unknown): { error?: { issues: readonly object[] } };
}

function packageRules(revision: string): Rules {
  const schemas = (revision === MODERN_REVISION ? modern : legacy) as unknown as Record<
    string,
    Parser | undefined
  >;
  // The packages have no names for the errors and the whole answers of single methods.
  const names: Record<string, string> = {
    JSONRPCError: "JSONRPCErrorResponse",
    JSONRPCResponse: "JSONRPCResultResponse",
  };
  const find = (definition: string) => schemas[`${names[definition] ?? definition}Schema`];
  return {
    revision,
    source: "packages",
    has: (definition) =>
      /^JSONRPCError(?:Response)?$/.test(definition)
        ? (definition === "JSONRPCError") === (revision < "2025-11-25")
        : find(definition) !== undefined,
    problems: (definition, value) =>
      find(definition)?.safeParse(value).error?.issues.map((issue) => JSON.stringify(issue)) ?? [],
    unknownMembers: () => [],
  };
}

// --- What is wrong with a message

/** What an answer has to be measured against. */
export interface Asked {
  readonly method: string;
  /** The revision in force for the request; undefined while nothing is negotiated and the request states nothing. */
  readonly revision: string | undefined;
}

/** What the result of a method is called in the schemas. */
const RESULTS: Readonly<Record<string, string>> = {
  "initialize": "InitializeResult",
  "ping": "EmptyResult",
  "server/discover": "DiscoverResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "logging/setLevel": "EmptyResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
};

/** What the requests of a server are called in the schemas. */
const SERVER_REQUESTS: Readonly<Record<string, string>> = {
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
};

/** What the notifications of a server are called in the schemas. */
const NOTIFICATIONS: Readonly<Record<string, string>> = {
  "notifications/cancelled": "CancelledNotification",
  "notifications/elicitation/complete": "ElicitationCompleteNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/progress": "ProgressNotification",
  "notifications/prompts/list_changed": "PromptListChangedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
};

/** The methods that may ask for input since 2026-07-28. */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);
/** The methods whose complete results carry `ttlMs` and `cacheScope`. */
const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

/** What errors are called in the schemas: the error itself, or the whole message around it. */
const ERRORS: Readonly<Record<number, string>> = {
  [-32700]: "ParseError",
  [-32600]: "InvalidRequestError",
  [-32601]: "MethodNotFoundError",
  [-32602]: "InvalidParamsError",
  [-32603]: "InternalError",
};
const WHOLE_ERRORS: Readonly<Record<number, string>> = {
  [-32021]: "MissingRequiredClientCapabilityError",
  [-32022]: "UnsupportedProtocolVersionError",
  [-32042]: "URLElicitationRequiredError",
};

/** What is wrong with the answer to a request that is known. */
export function answerProblems(message: Message, asked: Asked): string[] {
  // What fails before anything is negotiated follows no revision yet; the newest legacy one has the same forms.
  const rules = rulesOf(asked.revision ?? NEWEST_LEGACY);
  const found = "error" in message ? errorProblems(message, rules) : resultProblems(message, asked, rules);
  return found.map((problem) => `${rules.revision} ${asked.method}: ${problem}`);
}

/**
 * What is wrong with an error that answers nothing in particular: what came could not be read. JSON-RPC asks for the id
 * null, which no schema of MCP has a form for; from 2025-11-25 on there is no id instead.
 */
export function orphanProblems(message: Message, negotiated: string | undefined): string[] {
  const rules = rulesOf(negotiated ?? MODERN_REVISION);
  const isNull = message["id"] === null;
  const found = errorProblems(isNull ? { ...message, id: "unreadable" } : message, rules);
  const isAllowed = negotiated === undefined || isNull === (negotiated < "2025-11-25");
  return isAllowed ? found : [...found, `${negotiated}: the id is ${isNull ? "null" : "not there"}`];
}

/** What is wrong with a notification. One of a stream of changes is of 2026-07-28, whatever was negotiated. */
export function notificationProblems(message: Message, negotiated: string | undefined): string[] {
  const revision = streamOf(message) === undefined ? negotiated ?? NEWEST_LEGACY : MODERN_REVISION;
  return toClientProblems(message, rulesOf(revision), NOTIFICATIONS, "Notification");
}

/** What is wrong with a request of the server, which there are up to 2025-11-25. */
export function serverRequestProblems(message: Message, negotiated: string | undefined): string[] {
  const rules = rulesOf(negotiated ?? NEWEST_LEGACY);
  if (rules.revision !== MODERN_REVISION) return toClientProblems(message, rules, SERVER_REQUESTS, "Request");
  return [`${MODERN_REVISION} has no requests of a server`];
}

function toClientProblems(
  message: Message,
  rules: Rules,
  definitions: Readonly<Record<string, string>>,
  kind: "Notification" | "Request",
): string[] {
  const { revision } = rules;
  const definition = definitions[String(message["method"])];
  if (definition === undefined || !rules.has(definition)) {
    return [`${revision} has no ${message["method"]} of a server`];
  }
  // The older schemas define messages without what makes them messages.
  const { jsonrpc: _, id: __, ...bare } = message;
  return [
    ...[`JSONRPC${kind}`, `Server${kind}`, definition].flatMap((name) => named(rules, name, message)),
    ...rules.unknownMembers(definition, revision < "2025-11-25" ? bare : message),
  ].map((problem) => `${revision} ${message["method"]}: ${problem}`);
}

/** The stream that a notification belongs to: the id of the request that opened it. */
export function streamOf({ params }: Message): unknown {
  return ((params as Message | undefined)?.["_meta"] as Message | undefined)
    ?.[`${META_PREFIX}subscriptionId`];
}

/** What is wrong with a batch of answers as a whole. */
export function batchProblems(messages: readonly Message[], negotiated: string | undefined): string[] {
  if (negotiated !== "2025-03-26") return [`${negotiated ?? "nothing negotiated"}: a batch was written`];
  const readable = messages.map((message) =>
    message["id"] === null ? { ...message, id: "unreadable" } : message
  );
  return named(rulesOf(negotiated), "JSONRPCBatchResponse", readable);
}

function resultProblems(message: Message, { method, revision }: Asked, rules: Rules): string[] {
  const result = (message["result"] ?? {}) as Message;
  const isModern = revision === MODERN_REVISION;
  const asks = isModern && result["resultType"] === "input_required";
  const definition = asks ? "InputRequiredResult" : RESULTS[method];
  if (definition === undefined) return ["there is no result for this method"];
  const response = rules.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse";
  const found = [
    ...named(rules, response, message),
    ...named(rules, definition, message["result"]),
    ...rules.unknownMembers(definition, message["result"]).map((problem) => `${definition}: ${problem}`),
    ...(isModern && !asks ? named(rules, `${definition}Response`, message) : []),
  ];
  if (!isModern) return found;
  if ((result["_meta"] as Message | undefined)?.[`${META_PREFIX}serverInfo`] === undefined) {
    found.push("_meta has no serverInfo");
  }
  return [...found, ...(asks ? askingProblems(result, method, rules) : completeProblems(result, method))];
}

/** What is wrong with a result that asks for input. */
function askingProblems({ inputRequests, requestState }: Message, method: string, rules: Rules): string[] {
  const found: string[] = [];
  if (!MAY_ASK.has(method)) found.push("it must not ask for input");
  if (inputRequests === undefined && requestState === undefined) found.push("it asks nothing");
  for (const request of Object.values((inputRequests ?? {}) as Record<string, Message>)) {
    const definition = SERVER_REQUESTS[String(request["method"])];
    if (definition === undefined) found.push(`${request["method"]} must not be asked`);
    else found.push(...named(rules, definition, request), ...rules.unknownMembers(definition, request));
  }
  return found;
}

/** What 2026-07-28 asks for beyond the result itself. */
function completeProblems({ resultType, ttlMs, cacheScope }: Message, method: string): string[] {
  const isValid = CACHEABLE.has(method)
    ? Number.isInteger(ttlMs) && (ttlMs as number) >= 0 &&
      (cacheScope === "private" || cacheScope === "public")
    : ttlMs === undefined && cacheScope === undefined;
  return [
    ...(resultType === "complete" ? [] : [`resultType is ${JSON.stringify(resultType)}`]),
    ...(isValid ? [] : [`ttlMs is ${JSON.stringify(ttlMs)}, and cacheScope ${JSON.stringify(cacheScope)}`]),
  ];
}

function errorProblems(message: Message, rules: Rules): string[] {
  const response = rules.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";
  const error = message["error"] as { code: number; message: string } | undefined;
  const found = [...named(rules, response, message), ...rules.unknownMembers(response, message)];
  if (!error) return found;
  const { revision } = rules;
  const whole = WHOLE_ERRORS[error.code];
  found.push(...named(rules, whole ?? ERRORS[error.code] ?? "", whole ? message : error));
  const isDefined = revision === NEWEST_LEGACY && error.code === -32042;
  const isForbidden = revision === MODERN_REVISION
    ? [-32002, -32042].includes(error.code)
    : !isDefined && error.code <= -32020 && error.code >= -32099;
  if (isForbidden) found.push(`the code ${error.code} must not be sent`);
  // No path or stack of the server may leave it.
  if (/(?:^|\s)(?:\/[\w.-]+){2,}|\bat \S+ \(|\.ts:\d/.test(error.message)) {
    found.push(`the message tells: ${error.message}`);
  }
  return found;
}

function named(rules: Rules, definition: string, value: unknown): string[] {
  if (!rules.has(definition)) return [];
  return rules.problems(definition, value).map((problem) => `${definition}: ${problem}`);
}
