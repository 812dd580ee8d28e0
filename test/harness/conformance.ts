/**
 * Checks every message of a conversation against the official JSON schema of the revision in force for it, closed against
 * unknown members, and against the rules that no schema can state.
 *
 * `INTEROP_SCHEMA` names the folder of the official schemas; by default they are next to the repository.
 */

import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compileSchema } from "../../lib/formats/schema/mod.ts";

export const LEGACY_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const NEWEST_LEGACY = "2025-11-25";
export const MODERN_REVISION = "2026-07-28";
export const REVISIONS: readonly string[] = [...LEGACY_REVISIONS, MODERN_REVISION];
/** The prefix of everything that a modern request states in `_meta`. */
export const META_PREFIX = "io.modelcontextprotocol/";

/** A JSON-RPC message as it arrived, not validated. */
export type Message = Readonly<Record<string, unknown>>;
/** A JSON schema. */
export type Schema = Record<string, unknown>;

/** The rules of one revision. */
export interface Rules {
  readonly revision: string;
  /** Whether the revision defines something of that name. */
  has(definition: string): boolean;
  /** What is wrong with a value that should be what a definition says. */
  problems(definition: string, value: unknown): readonly string[];
  /** Members that the definition does not have. Allowed, but what a server sends should be what clients can know. */
  unknownMembers(definition: string, value: unknown): readonly string[];
}

/** The official schema of a revision, the same one closed, and the member that its definitions are in. */
export interface OfficialSchema {
  readonly schema: Schema;
  readonly closed: Schema;
  readonly member: string;
}

const FOLDER = process.env["INTEROP_SCHEMA"] ??
  fileURLToPath(new URL("../../../shared/spec/schema", import.meta.url));
/** Whether the official schemas are there. */
export const HAS_SCHEMAS: boolean = existsSync(FOLDER);
const known = new Map<string, Rules>();
let makeRules = (revision: string): Rules => officialRules(revision, readOfficial(revision)!, compileOwn);

/** The rules of a revision. */
export function rulesOf(revision: string): Rules {
  const rules = known.get(revision) ?? makeRules(revision);
  known.set(revision, rules);
  return rules;
}

/** Has another validator state the rules, instead of `lib/formats/schema`. */
export function useRules(make: (revision: string) => Rules): void {
  makeRules = make;
  known.clear();
}

/** Reads the official schema of a revision; undefined when it is not there. */
export function readOfficial(revision: string): OfficialSchema | undefined {
  const file = `${FOLDER}/${revision}.json`;
  if (!existsSync(file)) return undefined;
  const schema = JSON.parse(readFileSync(file, "utf8")) as Schema;
  const member = "$defs" in schema ? "$defs" : "definitions";
  return { schema, closed: closedSchema(schema, member), member };
}

/** What is wrong with a value that should be what a definition says, and whether that is a member that it does not have. */
type Validate = (definition: string, value: unknown) => readonly { problem: string; isUnknown: boolean }[];

/** The rules of a revision by its official schema, which a validator compiles: as it is, and closed. */
export function officialRules(
  revision: string,
  { schema, closed, member }: OfficialSchema,
  compile: (schema: Schema, member: string) => Validate,
): Rules {
  const [open, strict] = [compile(schema, member), compile(closed, member)];
  return {
    revision,
    has: (definition) => definition in (schema[member] as Schema),
    problems: (definition, value) => open(definition, value).map(({ problem }) => problem),
    unknownMembers: (definition, value) =>
      strict(definition, value).filter(({ isUnknown }) => isUnknown).map(({ problem }) => problem),
  };
}

/** One compilation for all definitions: each is a member of an object that has one of them. */
function compileOwn(schema: Schema, member: string): Validate {
  const names = Object.keys(schema[member] as Schema);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/${member}/${name}` }]));
  const validate = compileSchema({ [member]: schema[member], properties }, { formats: true });
  return (definition, value) =>
    validate({ [definition]: value }).map(({ path, message, keyword }) => {
      return { problem: `${path}: ${message}`, isUnknown: keyword === "additionalProperties" };
    });
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

/** What an answer has to be measured against. */
export interface Asked {
  readonly method: string;
  /** The revision in force for the request; undefined while nothing is negotiated and the request states nothing. */
  readonly revision: string | undefined;
}

/** What the result of a method is called in the schemas. */
const RESULTS: Readonly<Record<string, string>> = {
  "initialize": "InitializeResult",
  "server/discover": "DiscoverResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "ping": "EmptyResult",
  "logging/setLevel": "EmptyResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
};

/** The methods of extensions, whose results the schemas do not define. */
const EXTENSION_METHODS = /^(?:skills\/(?:list|get)|resources\/directory\/read)$/;

/** What the requests and notifications of a server are called in the schemas. */
const SERVER_REQUESTS: Readonly<Record<string, string>> = {
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
};
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
const MAY_ASK = /^(?:tools\/call|prompts\/get|resources\/read)$/;
/** The methods whose complete results carry `ttlMs` and `cacheScope`. */
const CACHEABLE =
  /^(?:server\/discover|resources\/read|(?:resources|resources\/templates|prompts|tools)\/list)$/;

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
  const meta = (message["params"] as Message | undefined)?.["_meta"] as Message | undefined;
  const isOfStream = meta?.[`${META_PREFIX}subscriptionId`] !== undefined;
  const revision = isOfStream ? MODERN_REVISION : negotiated ?? NEWEST_LEGACY;
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
  const response = rules.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse";
  if (isModern && EXTENSION_METHODS.test(method)) {
    return [...named(rules, response, message), ...completeProblems(result, method)];
  }
  if (definition === undefined || !rules.has(definition)) return ["there is no result for this method"];
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
  if (!MAY_ASK.test(method)) found.push("it must not ask for input");
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
  const isValid = CACHEABLE.test(method) || EXTENSION_METHODS.test(method)
    ? Number.isInteger(ttlMs) && (ttlMs as number) >= 0 &&
      (cacheScope === "private" || cacheScope === "public")
    : ttlMs === undefined && cacheScope === undefined;
  return [
    ...(resultType === "complete" ? [] : [`resultType is ${JSON.stringify(resultType)}`]),
    ...(isValid ? [] : [`ttlMs is ${JSON.stringify(ttlMs)}, and cacheScope ${JSON.stringify(cacheScope)}`]),
  ];
}

/** A path of the disk, or a stack; a pointer into a value ("/field/0") is neither. */
const PRIVATE = /(?:^|[\s'])\/(?:home|tmp|usr|etc|var|srv|work|root|opt|proc|Users)\/\S|\bat \S+ \(|\.ts:\d/;

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
  if (PRIVATE.test(error.message)) found.push(`the message tells: ${error.message}`);
  return found;
}

function named(rules: Rules, definition: string, value: unknown): string[] {
  if (!rules.has(definition)) return [];
  return rules.problems(definition, value).map((problem) => `${definition}: ${problem}`);
}
/** One conversation, followed from its first line to its last. */
export class Conversation {
  readonly problems: string[] = [];
  answers = 0;
  readonly #asked = new Map<unknown, Asked>();
  #negotiated: string | undefined;
  /** What was negotiated before: an answer to what could not be read may be older than the last handshake. */
  #before: string | undefined;

  sent(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line.replace(/^\uFEFF/, ""));
    } catch {
      return;
    }
    for (const message of [value].flat() as (Message | null)[]) {
      const { id, method } = message ?? {};
      const isAnswerable = typeof id === "string" || Number.isSafeInteger(id);
      if (typeof method === "string" && isAnswerable) this.#ask(message!, Array.isArray(value));
    }
  }

  received(line: string): void {
    let value: Message | Message[];
    try {
      value = JSON.parse(line);
    } catch {
      return void this.problems.push(`this is no JSON: ${line.slice(0, 200)}`);
    }
    if (Array.isArray(value)) this.problems.push(...batchProblems(value, this.#negotiated));
    for (const message of [value].flat()) this.problems.push(...this.#receive(message));
  }

  #ask({ id, method, params }: Message, isInBatch: boolean): void {
    const { _meta, protocolVersion } = (params ?? {}) as Message;
    const isModern = ["protocolVersion", "clientCapabilities", "clientInfo"]
      .some((name) => `${META_PREFIX}${name}` in Object(_meta));
    // A handshake in a batch is an error.
    if (method === "initialize" && !isModern && !isInBatch && typeof protocolVersion === "string") {
      this.#before = this.#negotiated;
      this.#negotiated = LEGACY_REVISIONS.find((revision) => revision === protocolVersion) ?? NEWEST_LEGACY;
    }
    this.#asked.set(id, { method: String(method), revision: isModern ? MODERN_REVISION : this.#negotiated });
  }

  #receive(message: Message): string[] {
    this.answers++;
    const { id, method } = message;
    if (method !== undefined) {
      const problems = id === undefined ? notificationProblems : serverRequestProblems;
      return problems(message, this.#negotiated);
    }
    const asked = this.#asked.get(id);
    if (asked) return answerProblems(message, asked);
    const isFine = [this.#negotiated, this.#before].some((revision) =>
      orphanProblems(message, revision).length === 0
    );
    return isFine ? [] : orphanProblems(message, this.#negotiated);
  }
}
