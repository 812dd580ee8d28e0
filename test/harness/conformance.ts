/**
 * Checks every message of a conversation against the official JSON schema of the revision in force for it, and against the
 * rules that no schema can state. The schemas are closed: a server sends no members that its revision does not define.
 *
 * `INTEROP_SCHEMA` names the folder of the official schemas; by default they stand beside the repository.
 */

import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compileSchema } from "../../lib/schema/mod.ts";

/** A JSON-RPC message as it came; nothing about it is taken for granted. */
export type Message = Readonly<Record<string, unknown>>;
/** A JSON schema. */
export type Schema = Record<string, unknown>;

export const LEGACY_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN_REVISION = "2026-07-28";
export const REVISIONS: readonly string[] = [...LEGACY_REVISIONS, MODERN_REVISION];
/** The prefix of everything that a modern request states in `_meta`. */
export const META_PREFIX = "io.modelcontextprotocol/";

/** The rules of one revision. */
export interface Rules {
  readonly revision: string;
  /** Whether the revision defines something of that name. */
  has(definition: string): boolean;
  /** What is wrong with a value that should be what a definition says. */
  problems(definition: string, value: unknown): readonly string[];
  /** Members that the definition does not have. */
  strangers(definition: string, value: unknown): readonly string[];
}

const FOLDER = process.env["INTEROP_SCHEMA"] ??
  fileURLToPath(new URL("../../../shared/spec/schema", import.meta.url));
/** Whether the official schemas can be read. */
export const HAS_SCHEMAS: boolean = existsSync(FOLDER);
const known = new Map<string, Rules>();
let makeRules: (revision: string) => Rules = ownRules;

/** The rules of a revision. */
export function rulesOf(revision: string): Rules {
  let rules = known.get(revision);
  if (!rules) known.set(revision, rules = makeRules(revision));
  return rules;
}

/** Has another validator state the rules, in place of our own. */
export function useRules(make: (revision: string) => Rules): void {
  makeRules = make;
  known.clear();
}

/** The official schema of a revision, the member that holds its definitions, and the same schema closed. */
export function readSchema(revision: string): { schema: Schema; closed: Schema; member: string } | undefined {
  const file = `${FOLDER}/${revision}.json`;
  if (!existsSync(file)) return undefined;
  const schema = JSON.parse(readFileSync(file, "utf8")) as Schema;
  const member = "$defs" in schema ? "$defs" : "definitions";
  const closed = structuredClone(schema);
  for (const [name, definition] of Object.entries(closed[member] as Record<string, Schema>)) {
    // Only what is meant to be open stays open.
    if (!/Meta(?:Object)?$|Capabilities$|^Result$|^Error$/.test(name)) close(definition);
  }
  return { schema, closed, member };
}

function close(schema: Schema): void {
  const { properties, items, anyOf, allOf } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    allOf?: Schema[];
  };
  if (properties && !allOf) schema["additionalProperties"] ??= false;
  for (const [name, member] of Object.entries(properties ?? {})) {
    // A tool's own schemas may say whatever JSON Schema can.
    if (!/^(?:input|output)Schema$/.test(name)) close(member);
  }
  for (const inner of [...(items ? [items] : []), ...(anyOf ?? [])]) close(inner);
}

function ownRules(revision: string): Rules {
  const read = readSchema(revision);
  if (!read) throw new Error(`There is no schema of ${revision} in ${FOLDER}`);
  const { schema, closed, member } = read;
  const compiler = ({ $schema: _, ...rest }: Schema) => {
    const validators = new Map<string, ReturnType<typeof compileSchema>>();
    return (definition: string, value: unknown) => {
      const validate = validators.get(definition) ??
        compileSchema({ ...rest, $ref: `#/${member}/${definition}` }, { formats: true });
      validators.set(definition, validate);
      return validate(value).map(({ path, keyword, message }) => ({ path, keyword, message }));
    };
  };
  const [open, strict] = [compiler(schema), compiler(closed)];
  return {
    revision,
    has: (definition) => definition in (schema[member] as Schema),
    problems: (definition, value) =>
      open(definition, value).map(({ path, message }) => `${path}: ${message}`),
    strangers: (definition, value) =>
      strict(definition, value).filter(({ keyword }) => keyword === "additionalProperties")
        .map(({ path }) => `${definition} has no ${path}`),
  };
}

/** What the results and the requests and notifications of a server are called in the schemas. */
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
/** The methods that may end with a request for input since 2026-07-28. */
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
/** What the errors of JSON-RPC are called in the schema of 2026-07-28. */
const ERRORS: Readonly<Record<number, string>> = {
  [-32700]: "ParseError",
  [-32600]: "InvalidRequestError",
  [-32601]: "MethodNotFoundError",
  [-32602]: "InvalidParamsError",
  [-32603]: "InternalError",
};
/** The errors that the schemas define with the whole message around them. */
const WHOLE_ERRORS: Readonly<Record<number, string>> = {
  [-32021]: "MissingRequiredClientCapabilityError",
  [-32022]: "UnsupportedProtocolVersionError",
  [-32042]: "URLElicitationRequiredError",
};
/** A path of the server, or a stack: neither may leave it. Pointers into a value ("/field/0") may. */
const PRIVATE = /(?:^|[\s"'])\/(?:home|tmp|usr|etc|var|srv|work|root|opt|proc|Users)\/\S|\bat \S+ \(|\.ts:\d/;

/** What an answer has to be measured against. */
export interface Asked {
  readonly method: string;
  /** The revision in force for the request; undefined while nothing is agreed and the request states nothing. */
  readonly revision: string | undefined;
}

/** What is wrong with the answer to a request that is known. */
export function answerProblems(message: Message, asked: Asked): string[] {
  // What is refused before anything is agreed follows no revision yet; the newest legacy one has the same forms.
  const rules = rulesOf(asked.revision ?? "2025-11-25");
  const found = "error" in message ? errorProblems(message, rules) : resultProblems(message, asked, rules);
  return found.map((problem) => `${rules.revision} ${asked.method}: ${problem}`);
}

/**
 * What is wrong with an error that answers nothing in particular: what came could not be read. JSON-RPC asks for the id
 * null, which no schema of MCP has a form for; from 2025-11-25 on there is no id instead.
 */
export function orphanProblems(message: Message, agreed: string | undefined): string[] {
  const rules = rulesOf(agreed ?? MODERN_REVISION);
  const hasNull = message["id"] === null;
  const found = errorProblems(hasNull ? { ...message, id: "unreadable" } : message, rules);
  if (agreed === undefined || hasNull === agreed < "2025-11-25") return found;
  return [...found, `${agreed} has no ${hasNull ? "id null" : "answer without id"}`];
}

/** What is wrong with a notification. One that belongs to a stream of changes is of 2026-07-28, whatever was agreed. */
export function notificationProblems(message: Message, agreed: string | undefined): string[] {
  const rules = rulesOf(streamOf(message) === undefined ? agreed ?? "2025-11-25" : MODERN_REVISION);
  return ofServer(rules, message, NOTIFICATIONS, ["JSONRPCNotification", "ServerNotification"]);
}

/** What is wrong with a request of the server, which there are up to 2025-11-25. */
export function questionProblems(message: Message, agreed: string | undefined): string[] {
  const rules = rulesOf(agreed ?? "2025-11-25");
  const names = rules.revision === MODERN_REVISION ? {} : SERVER_REQUESTS;
  return ofServer(rules, message, names, ["JSONRPCRequest", "ServerRequest"]);
}

function ofServer(
  rules: Rules,
  message: Message,
  names: Readonly<Record<string, string>>,
  general: readonly string[],
): string[] {
  const definition = names[String(message["method"])];
  if (definition === undefined || !rules.has(definition)) {
    return [`${rules.revision} has no ${message["method"]} of a server`];
  }
  // The older schemas define them without what makes them messages.
  const { jsonrpc: _, id: __, ...bare } = message;
  return [
    ...[...general, definition].flatMap((name) => named(rules, name, message)),
    ...rules.strangers(definition, rules.revision < "2025-11-25" ? bare : message),
  ].map((problem) => `${rules.revision} ${message["method"]}: ${problem}`);
}

/** The stream that a notification belongs to: the id of the request that opened it. */
function streamOf(message: Message): unknown {
  const params = message["params"] as Message | undefined;
  return (params?.["_meta"] as Message | undefined)?.[`${META_PREFIX}subscriptionId`];
}

/** What is wrong with a batch of answers as a whole. */
export function batchProblems(messages: readonly Message[], agreed: string | undefined): string[] {
  if (agreed !== "2025-03-26") return [`${agreed ?? "nothing agreed"}: a batch was written`];
  const readable = messages.map((message) =>
    message["id"] === null ? { ...message, id: "unreadable" } : message
  );
  return named(rulesOf(agreed), "JSONRPCBatchResponse", readable);
}

function resultProblems(message: Message, { method, revision }: Asked, rules: Rules): string[] {
  const result = message["result"] as Message | undefined;
  const isModern = revision === MODERN_REVISION;
  if (isModern && result?.["resultType"] === "input_required") return inputProblems(message, method, rules);
  const definition = RESULTS[method];
  if (definition === undefined) return ["there is no result for this method"];
  const found = [
    ...named(
      rules,
      rules.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse",
      message,
    ),
    ...named(rules, definition, result),
    ...rules.strangers(definition, result),
  ];
  return isModern ? [...found, ...modernProblems(message, method, rules)] : found;
}

/** What is wrong with a result that asks for input. */
function inputProblems(message: Message, method: string, rules: Rules): string[] {
  const result = message["result"] as Message;
  const found = [
    ...named(rules, "JSONRPCResultResponse", message),
    ...named(rules, "InputRequiredResult", result),
    ...rules.strangers("InputRequiredResult", result),
    ...serverInfoProblems(result),
  ];
  if (!MAY_ASK.has(method)) found.push("it must not ask for input");
  if (result["inputRequests"] === undefined && result["requestState"] === undefined) {
    found.push("it asks nothing");
  }
  for (const request of Object.values((result["inputRequests"] ?? {}) as Record<string, Message>)) {
    const definition = SERVER_REQUESTS[String(request["method"])];
    if (definition === undefined) found.push(`${request["method"]} cannot be asked`);
    else found.push(...named(rules, definition, request), ...rules.strangers(definition, request));
  }
  return found;
}

/** What 2026-07-28 asks for beyond the result itself. */
function modernProblems(message: Message, method: string, rules: Rules): string[] {
  const result = message["result"] as Message;
  const { resultType, ttlMs, cacheScope } = result;
  const found = [...named(rules, `${RESULTS[method]}Response`, message), ...serverInfoProblems(result)];
  if (resultType !== "complete") found.push(`resultType is ${JSON.stringify(resultType)}`);
  if (!CACHEABLE.has(method)) {
    if (ttlMs !== undefined || cacheScope !== undefined) found.push("it must not carry ttlMs or cacheScope");
    return found;
  }
  if (!Number.isInteger(ttlMs) || (ttlMs as number) < 0) found.push(`ttlMs is ${JSON.stringify(ttlMs)}`);
  if (cacheScope !== "private" && cacheScope !== "public") {
    found.push(`cacheScope is ${JSON.stringify(cacheScope)}`);
  }
  return found;
}

function serverInfoProblems(result: Message): string[] {
  const info = (result["_meta"] as Message | undefined)?.[`${META_PREFIX}serverInfo`];
  return info === undefined ? ["_meta has no serverInfo"] : [];
}

function errorProblems(message: Message, rules: Rules): string[] {
  const response = rules.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";
  const error = message["error"] as { code: number; message: string } | undefined;
  const found = [...named(rules, response, message), ...rules.strangers(response, message)];
  if (!error) return found;
  const { code } = error;
  const whole = WHOLE_ERRORS[code];
  const definition = whole ?? ERRORS[code];
  if (definition !== undefined) found.push(...named(rules, definition, whole ? message : error));
  const isModern = rules.revision === MODERN_REVISION;
  if (isModern && [-32002, -32042].includes(code)) found.push(`the code ${code} must not be sent any more`);
  const isKnown = rules.revision === "2025-11-25" && code === -32042;
  if (!isModern && !isKnown && code <= -32020 && code >= -32099) {
    found.push(`the code ${code} has no meaning yet`);
  }
  if (PRIVATE.test(error.message)) found.push(`the message tells: ${error.message}`);
  return found;
}

function named(rules: Rules, definition: string, value: unknown): string[] {
  if (!rules.has(definition)) return [];
  return rules.problems(definition, value).map((problem) => `${definition}: ${problem}`);
}

/** What one id was used for, by all the requests for a stream that came under it. */
interface Stream {
  asked: number;
  acknowledged: number;
  /** How many of them were answered: by the end of the stream, or by an error before it began. */
  answered: number;
  ended: number;
  /** What was ever acknowledged: the members of the filters, and the URIs. */
  readonly served: Set<string>;
  /** What was ever asked for. */
  readonly wanted: Set<string>;
}

/** Which lists a member of a filter is about. */
const LISTS: Readonly<Record<string, string>> = {
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

/**
 * Whether a client is told what it asked for and nothing else. What was sent and what was received is compared where it was
 * written and read, so a notification may still come for something that was given up a moment ago.
 */
export class Streams {
  readonly #streams = new Map<unknown, Stream>();
  /** What was ever subscribed to one by one. */
  readonly #uris = new Set<unknown>();
  /** How far each piece of work has come whose progress was asked for, by the token. */
  readonly #progress = new Map<unknown, { id: unknown; told: number }>();
  #wantsLogs = false;
  #isInitialized = false;

  /** Takes note of what the client sends. */
  sent(message: Message): void {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: Message };
    if (method === "notifications/initialized") this.#isInitialized = true;
    if (method === "resources/subscribe") this.#uris.add(params?.["uri"]);
    const meta = params?.["_meta"] as Message | undefined;
    const token = meta?.["progressToken"];
    if (token !== undefined) this.#progress.set(token, { id, told: -Infinity });
    this.#wantsLogs ||= method === "logging/setLevel" || meta?.[`${META_PREFIX}logLevel`] !== undefined;
    if (method !== "subscriptions/listen") return;
    const stream = this.#streams.get(id) ??
      { asked: 0, acknowledged: 0, answered: 0, ended: 0, served: new Set(), wanted: new Set() };
    stream.asked++;
    for (const one of membersOf(params?.["notifications"])) stream.wanted.add(one);
    this.#streams.set(id, stream);
  }

  /** What is wrong with a message that the client gets. */
  received(message: Message): string[] {
    const problems = "method" in message ? this.#notified(message) : this.#answered(message);
    return problems.map((problem) => `${problem}: ${JSON.stringify(message).slice(0, 300)}`);
  }

  #answered({ id, result }: Message): string[] {
    for (const [token, work] of this.#progress) if (work.id === id) this.#progress.delete(token);
    const stream = this.#streams.get(id);
    if (!stream) return [];
    stream.answered++;
    const meta = (result as Message | undefined)?.["_meta"] as Message | undefined;
    const ended = meta?.[`${META_PREFIX}subscriptionId`];
    if (ended === undefined) return [];
    if (ended !== id) return ["the result names another stream"];
    return stream.acknowledged === 0 ? ["a stream ended that was not acknowledged"] : [];
  }

  #notified(message: Message): string[] {
    const id = streamOf(message);
    if (id === undefined) return this.#outside(message);
    const stream = this.#streams.get(id);
    if (!stream) return ["there is no such stream"];
    const { method, params } = message as { method: string; params: Message };
    if (method === "notifications/subscriptions/acknowledged") {
      const served = membersOf(params["notifications"]);
      for (const one of served) stream.served.add(one);
      if (++stream.acknowledged > stream.asked) return ["the stream was acknowledged before"];
      return served.every((one) => stream.wanted.has(one)) ? [] : ["more is served than was asked for"];
    }
    if (stream.acknowledged === 0) return ["the stream was not acknowledged yet"];
    if (method === "notifications/cancelled") {
      if (params["requestId"] !== id) return ["the end of another stream"];
      return ++stream.ended > stream.answered ? ["the stream ended before its result"] : [];
    }
    return stream.served.has(LISTS[method] ?? `uri ${params["uri"]}`)
      ? []
      : ["the stream does not serve this"];
  }

  #outside({ method, params }: Message): string[] {
    if (method === "notifications/progress") return this.#progressed(params as Message);
    if (method === "notifications/message") return this.#wantsLogs ? [] : ["no log was asked for"];
    if (!this.#isInitialized) return ["nothing may be told before the client is initialized"];
    if (method !== "notifications/resources/updated") {
      return method as string in LISTS ? [] : ["this was not asked for"];
    }
    return this.#uris.has((params as Message)["uri"]) ? [] : ["this was not subscribed to"];
  }

  #progressed({ progressToken, progress }: Message): string[] {
    const work = this.#progress.get(progressToken);
    if (!work) return ["this progress is not asked for, or no more"];
    const isForwards = typeof progress === "number" && progress > work.told;
    work.told = Number(progress);
    return isForwards ? [] : ["progress must go forwards"];
  }
}

/** What a filter asks for. */
function membersOf(filter: unknown): string[] {
  const { resourceSubscriptions = [], ...lists } = (filter ?? {}) as Record<string, unknown>;
  return [
    ...Object.keys(lists).filter((key) => lists[key] === true),
    ...(Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map((uri) => `uri ${uri}`) : []),
  ];
}

/** One conversation, followed in both directions from its first line to its last. */
export class Conversation {
  readonly problems: string[] = [];
  /** How many messages of the server were checked. */
  answers = 0;
  readonly #streams = new Streams();
  readonly #asked = new Map<unknown, Asked>();
  /** The ids of what the server has asked. */
  readonly #questions = new Set<unknown>();
  #agreed: string | undefined;
  /** What was agreed before: an answer to what could not be read may be older than the last handshake. */
  #before: string | undefined;

  /** Takes note of a line that the client sends. */
  sent(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line.replace(/^\uFEFF/, ""));
    } catch {
      return;
    }
    const isBatch = Array.isArray(value);
    for (const message of isBatch ? value as never[] : [value] as never[]) {
      const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
      this.#streams.sent(message ?? {});
      const isAnswerable = typeof id === "string" || Number.isSafeInteger(id);
      if (typeof method === "string" && isAnswerable) this.#ask(message, isBatch);
    }
  }

  /** Checks a line of the server. */
  received(line: string): void {
    const value = JSON.parse(line) as Message | Message[];
    if (Array.isArray(value)) this.problems.push(...batchProblems(value, this.#agreed));
    for (const message of Array.isArray(value) ? value : [value]) {
      this.problems.push(...this.#receive(message));
    }
  }

  #ask(message: Message, isInBatch: boolean): void {
    const method = String(message["method"]);
    const params = message["params"] as Message | undefined;
    const meta = params?.["_meta"] as Message | undefined;
    const isModern = ["protocolVersion", "clientCapabilities", "clientInfo"]
      .some((name) => meta?.[META_PREFIX + name] !== undefined);
    const version = params?.["protocolVersion"];
    // A handshake in a batch is refused.
    if (method === "initialize" && !isModern && !isInBatch && typeof version === "string") {
      this.#before = this.#agreed;
      this.#agreed = LEGACY_REVISIONS.find((revision) => revision === version) ?? "2025-11-25";
    }
    this.#asked.set(message["id"], { method, revision: isModern ? MODERN_REVISION : this.#agreed });
  }

  #isOfRequest({ method, params }: Message): boolean {
    if (method === "notifications/cancelled") return this.#questions.has((params as Message)["requestId"]);
    return /^notifications\/(?:message|progress|elicitation\/complete)$/.test(String(method));
  }

  #receive(message: Message): string[] {
    this.answers++;
    if ("method" in message && "id" in message) {
      this.#questions.add(message["id"]);
      return questionProblems(message, this.#agreed);
    }
    // What belongs to a request is part of no stream.
    const problems = this.#isOfRequest(message) ? [] : this.#streams.received(message);
    if ("method" in message) return [...problems, ...notificationProblems(message, this.#agreed)];
    const asked = this.#asked.get(message["id"]);
    if (asked) return [...problems, ...answerProblems(message, asked)];
    const found = orphanProblems(message, this.#agreed);
    const isOld = found.length > 0 && orphanProblems(message, this.#before).length === 0;
    return isOld ? problems : [...problems, ...found];
  }
}
