/**
 * Is a message that the program wrote what the revision in force for it allows? Asked of every line, whatever the test
 * that caused it is about.
 */

import type { Rules } from "./schemas.ts";
import { MODERN_REVISION, rulesOf } from "./schemas.ts";

/** A JSON-RPC message as it came; nothing about it is taken for granted. */
export type Message = Readonly<Record<string, unknown>>;

/** What an answer has to be measured against. */
export interface Asked {
  readonly method: string;
  /** The revision in force for the request; undefined while nothing is agreed and the request states nothing. */
  readonly revision: string | undefined;
}

/** The prefix of everything that a modern request states in `_meta`. */
export const META_PREFIX = "io.modelcontextprotocol/";

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
const QUESTIONS: Readonly<Record<string, string>> = {
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
};

/** The methods that may end with questions since 2026-07-28. */
const ASKING: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** What the notifications that the program sends are called in the schemas. */
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

/** The methods whose complete results carry `ttlMs` and `cacheScope`, as the specification counts them up. */
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
  if (message["id"] === null) {
    const found = errorProblems({ ...message, id: "unreadable" }, rules);
    return agreed !== undefined && agreed >= "2025-11-25" ? [...found, `${agreed} has no id null`] : found;
  }
  const found = errorProblems(message, rules);
  return agreed !== undefined && agreed < "2025-11-25"
    ? [...found, `${agreed} has no answer without id`]
    : found;
}

/** What is wrong with a notification. One that belongs to a stream of changes is of 2026-07-28, whatever was agreed. */
export function notificationProblems(message: Message, agreed: string | undefined): string[] {
  const rules = rulesOf(streamOf(message) === undefined ? agreed ?? "2025-11-25" : MODERN_REVISION);
  const definition = NOTIFICATIONS[String(message["method"])];
  if (definition === undefined || !rules.has(definition)) {
    return [`${rules.revision} has no ${message["method"]} of a server`];
  }
  // The older schemas define notifications without what makes them messages.
  const { jsonrpc: _, ...bare } = message;
  const strangers = rules.revision < "2025-11-25"
    ? rules.strangers(definition, bare)
    : rules.strangers(definition, message);
  return [
    ...named(rules, "JSONRPCNotification", message),
    ...named(rules, "ServerNotification", message),
    ...named(rules, definition, message),
    ...strangers,
  ].map((problem) => `${rules.revision} ${message["method"]}: ${problem}`);
}

/** What is wrong with a request of the server, which there are up to 2025-11-25. */
export function questionProblems(message: Message, agreed: string | undefined): string[] {
  const rules = rulesOf(agreed ?? "2025-11-25");
  const definition = QUESTIONS[String(message["method"])];
  if (definition === undefined || !rules.has(definition) || rules.revision === MODERN_REVISION) {
    return [`${rules.revision} has no ${message["method"]} of a server`];
  }
  const { jsonrpc: _, id: __, ...bare } = message;
  return [
    ...named(rules, "JSONRPCRequest", message),
    ...named(rules, "ServerRequest", message),
    ...named(rules, definition, message),
    ...rules.strangers(definition, rules.revision < "2025-11-25" ? bare : message),
  ].map((problem) => `${rules.revision} ${message["method"]}: ${problem}`);
}

/** The stream that a notification belongs to: the id of the request that opened it. */
export function streamOf(message: Message): unknown {
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
  const asks = revision === MODERN_REVISION &&
    (message["result"] as Message | undefined)?.["resultType"] === "input_required";
  if (asks) return askingProblems(message, method, rules);
  const definition = RESULTS[method];
  if (definition === undefined) return [`there is no result for this method`];
  const response = rules.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse";
  const { result } = message;
  const found = [
    ...named(rules, response, message),
    ...named(rules, definition, result),
    ...rules.strangers(definition, result).map((problem) => `${definition}: ${problem}`),
  ];
  return revision === MODERN_REVISION ? [...found, ...modernProblems(message, method, rules)] : found;
}

/** What is wrong with a result that asks for input. */
function askingProblems(message: Message, method: string, rules: Rules): string[] {
  const result = message["result"] as Message;
  const found = [
    ...named(rules, "JSONRPCResultResponse", message),
    ...named(rules, "InputRequiredResult", result),
    ...rules.strangers("InputRequiredResult", result),
  ];
  if (!ASKING.has(method)) found.push("it must not ask for input");
  if (result["inputRequests"] === undefined && result["requestState"] === undefined) {
    found.push("it asks nothing");
  }
  for (const question of Object.values((result["inputRequests"] ?? {}) as Record<string, Message>)) {
    const definition = QUESTIONS[String(question["method"])];
    if (definition === undefined) found.push(`${question["method"]} is no question`);
    else found.push(...named(rules, definition, question), ...rules.strangers(definition, question));
  }
  if ((result["_meta"] as Message | undefined)?.[`${META_PREFIX}serverInfo`] === undefined) {
    found.push("_meta has no serverInfo");
  }
  return found;
}

/** What 2026-07-28 asks for beyond the result itself. */
function modernProblems(message: Message, method: string, rules: Rules): string[] {
  const definition = `${RESULTS[method]}Response`;
  const result = message["result"] as Message;
  const found = rules.has(definition) ? named(rules, definition, message) : [];
  if (result["resultType"] !== "complete") {
    found.push(`resultType is ${JSON.stringify(result["resultType"])}`);
  }
  const { ttlMs, cacheScope } = result as { ttlMs?: unknown; cacheScope?: unknown };
  if (!CACHEABLE.has(method)) {
    if (ttlMs !== undefined || cacheScope !== undefined) {
      found.push("ttlMs or cacheScope, which it does not carry");
    }
  } else {
    if (!Number.isInteger(ttlMs) || (ttlMs as number) < 0) found.push(`ttlMs is ${JSON.stringify(ttlMs)}`);
    if (cacheScope !== "private" && cacheScope !== "public") {
      found.push(`cacheScope is ${JSON.stringify(cacheScope)}`);
    }
  }
  const info = (result["_meta"] as Message | undefined)?.[`${META_PREFIX}serverInfo`];
  if (info === undefined) found.push("_meta has no serverInfo");
  return found;
}

function errorProblems(message: Message, rules: Rules): string[] {
  const response = rules.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";
  const error = message["error"] as { code: number; message: string; data?: unknown } | undefined;
  const found = [...named(rules, response, message), ...rules.strangers(response, message)];
  if (!error) return found;
  const whole = WHOLE_ERRORS[error.code];
  const definition = whole ?? ERRORS[error.code];
  if (definition !== undefined && rules.has(definition)) {
    found.push(...named(rules, definition, whole ? message : error));
  }
  if (rules.revision === MODERN_REVISION && [-32002, -32042].includes(error.code)) {
    found.push(`the code ${error.code} must not be sent any more`);
  }
  const isKnown = rules.revision === "2025-11-25" && error.code === -32042;
  if (rules.revision !== MODERN_REVISION && !isKnown && error.code <= -32020 && error.code >= -32099) {
    found.push(`the code ${error.code} has no meaning yet`);
  }
  // A path or a stack of the server is nobody's business.
  if (/(?:^|\s)(?:\/[\w.-]+){2,}|\bat \S+ \(|\.ts:\d/.test(error.message)) {
    found.push(`the message tells: ${error.message}`);
  }
  return found;
}

function named(rules: Rules, definition: string, value: unknown): string[] {
  if (!rules.has(definition)) return [];
  return rules.problems(definition, value).map((problem) => `${definition}: ${problem}`);
}
