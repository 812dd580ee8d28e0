/** Builds gateways: the endpoints of one API that may be called, as tools. */

import type { Field } from "../search/mod.ts";
import type { JsonObject } from "../base/json.ts";
import type { Schema, SchemaObject, Schemas } from "../formats/schema/mod.ts";
import type { StandardSchema, Tool } from "../mcp/server/tool.ts";
import type { Call, Confirm, EndpointCall, Shared } from "./call.ts";
import type { Description, Endpoint, Operation, Skipped } from "./endpoint.ts";
import type { Fetch, UpstreamError } from "./request.ts";
import type { Credential, Scheme } from "./secrets.ts";
import { toMatcher } from "../formats/glob.ts";
import { isPrivate, isSecure } from "../base/http.ts";
import { asObject, compact, freeze, isTooDeep, own } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, misfit, shortened } from "../base/text.ts";
import { MAX_LIMIT, SearchIndex } from "../search/mod.ts";
import { defineTool, ToolResult } from "../mcp/server/tool.ts";
import { annotations, askUser, consentBy, endpointCall, MAX_LEVELS, serverTimeoutMs } from "./call.ts";
import { keyOf, operationOf, refuse, reject } from "./endpoint.ts";
import { excerpt, sizeOf } from "./parts.ts";
import { BaseUrl, Semaphore } from "./request.ts";
import { inputSchemaOf, objectOf, outputSchemaOf, usedBy } from "./schemas.ts";
import { credential } from "./secrets.ts";

const MAX_HITS = 20;
/** The most tools, and the size of their list in bytes, before dispatchers take their place. */
const MAX_TOOLS = 64, MAX_LIST = 64 * 1024;
/** How much of an operation is described at once, and the longest schema in the list of tools, in bytes. */
const MAX_DESCRIBED = 20 * 1024, MAX_LISTED = 8 * 1024;
const MAX_SUMMARY = 160;
/** How many tags, paths or operations an error names, in place of one that there is not. */
const MAX_NAMED = 20;

const READ_ONLY = { ...annotations("GET", true), openWorldHint: false };
const NAME = { type: "string", description: "The name of an operation" } as const;
const TEXT = { type: "string" } as const;
const HIT = { name: TEXT, method: TEXT, path: TEXT, summary: TEXT };

/** Chooses the endpoints that fit all members; an empty or missing member fits every endpoint. */
export interface Filter {
  /** Any of these tags. */
  readonly tags?: readonly string[];
  /** Any of these paths, as the description writes them; `*` is any text. */
  readonly paths?: readonly string[];
  /** Any of these names. */
  readonly operations?: readonly string[];
}

/** What a gateway is built from. */
export interface GatewayOptions {
  /** What `readEndpoints` or `readOpenApi` returned. */
  readonly description: Description;
  /** The address of the API. @default {the one of the description} */
  readonly base?: string | undefined;
  /** Which endpoints are served. @default {all} */
  readonly filter?: Filter;
  /** Whether endpoints that change something are tools too. Each call of them is confirmed all the same. @default {false} */
  readonly allowDestructive?: boolean;
  /** Names of POST endpoints that change nothing. @default {those that the endpoint file marks} */
  readonly safe?: readonly string[];
  /** The content of the secret files, by the name of the credential. @default {none} */
  readonly secrets?: { readonly [name: string]: string };
  /** Headers with a secret that go with every request, by the name of the header. @default {none} */
  readonly secretHeaders?: { readonly [name: string]: string };
  /** Whether endpoints are served even if their credentials are not given; they are then called without these. @default {false} */
  readonly withoutCredentials?: boolean;
  /** Whether no endpoint has to be left, as for a list of what is not served. @default {false} */
  readonly allowEmpty?: boolean;
  /** The most endpoints that are tools; three dispatchers take the place of more. @default {64, in a list of 64 KiB} */
  readonly maxTools?: number;
  /** How long an answer may take, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** The largest answer, in bytes. @default {1048576} */
  readonly maxBytes?: number;
  /** How much of an answer is shown at once, in bytes; the rest is read with more calls. @default {32768} */
  readonly maxShown?: number;
  /** How many requests are sent at once. @default {8} */
  readonly concurrency?: number;
  /** Sends requests. @default {globalThis.fetch; for GET and HEAD with a body, a connection of its own} */
  readonly fetch?: Fetch;
  /** Asks a person. @default {through the client; where that is not possible, the call has to be repeated with a token} */
  readonly confirm?: Confirm;
  /** Whether secrets may be sent unencrypted to another machine, where the base begins with http. @default {false} */
  readonly allowPlainHttp?: boolean;
  /** Called when a call gets no answer (with the cause) or a status from 500 on; the reason has no secrets. @default {ignored} */
  readonly onfailure?: (tool: string, reason: string, cause?: UpstreamError) => void;
}

/** A gateway. It is frozen. */
export interface Gateway {
  /** Where its requests go, for people. */
  readonly base: string;
  /** The tools, for `createServer`. */
  readonly tools: readonly Tool[];
  /** The endpoints that can be called, sorted by name. */
  readonly endpoints: readonly Endpoint[];
  /** Whether three dispatchers take the place of the endpoints' tools. */
  readonly isFolded: boolean;
  /** What is not served, and why. */
  readonly skipped: readonly Skipped[];
  /** What is served, but not quite as it is described. */
  readonly remarks: readonly Skipped[];
  /** What can change something, and was not allowed. */
  readonly withheld: readonly Skipped[];
}

/**
 * Builds a gateway.
 *
 * @throws {GatewayError} When an option fits nothing, or no endpoint is left and `allowEmpty` is not set.
 * @example
 * ```ts
 * import { createGateway, readEndpoints } from "@architrave/architrave/gateway";
 * import { createServer } from "@architrave/architrave/server";
 *
 * const description = readEndpoints({
 *   base: "https://api.example.com/v1",
 *   endpoints: [{ name: "list_users", description: "Lists all users.", method: "GET", path: "/users" }],
 * });
 * const { tools } = createGateway({ description });
 * const server = createServer({ info: { name: "users", version: "1.0.0" }, tools });
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { description, secretHeaders = {}, secrets = {}, maxTools } = options;
  const { timeoutMs = 30_000, maxBytes = 1024 * 1024, maxShown = 32 * 1024, concurrency = 8 } = options;
  const { fetch = fetchAny, onfailure = () => {}, confirm = askUser } = options;
  const named = options.base ?? description.base;
  if (named === undefined) refuse("The address of the API is missing: name it with --base");
  const base = new BaseUrl(named);
  // The author of a document could point at the network of the gateway's operator.
  const isForeign = options.base === undefined && !description.isOwnBase &&
    isPrivate(new URL(named).hostname);
  if (isForeign) refuse(`The document names a private host: repeat ${named} with --base`);
  const credentials = new Map<string, Credential>();
  for (const [name, content] of Object.entries(secrets)) {
    const scheme = own(description.schemes, name) as Scheme | undefined;
    const known = Object.keys(description.schemes).join(", ") || "none";
    if (!scheme) refuse(`There is no credential "${name}"; the description has ${known}`);
    credentials.set(name, credential(name, scheme, content));
  }
  const headers = Object.entries(secretHeaders).map(([name, content]) => {
    // The space keeps it apart from the schemes of the description.
    credentials.set(` ${name}`, credential(name, { type: "header", name }, content));
    return ` ${name}`;
  });
  const chosen = select(options);
  const bases = [base.toString(), ...chosen.flatMap((one) => one.base ?? [])];
  const plain = bases.find((one) => !isSecure(new URL(one)));
  const isExposed = credentials.size > 0 && plain !== undefined && !options.allowPlainHttp;
  if (isExposed) refuse(`Credentials would be sent unencrypted to ${plain}: use https or --allow-plain-http`);
  const skipped = [...description.skipped];
  const withheld: Skipped[] = [];
  const endpoints: Operation[] = [];
  for (const endpoint of chosen) {
    const operation = operationOf(endpoint);
    const missing = endpoint.credentials.filter((name) => !credentials.has(name));
    if (missing.length > 0 && !options.withoutCredentials) {
      const way = `${missing.map((name) => `--auth-file ${name}=FILE`).join(" ")}, or --without-credentials`;
      skipped.push({ operation, reason: `It needs the credential ${missing.join(" and ")} (${way})` });
    } else if (!endpoint.isSafe && !endpoint.isAllowed && !options.allowDestructive) {
      withheld.push({ operation, reason: `${endpoint.method} can change something, and was not allowed` });
    } else {
      const given = [...endpoint.credentials.filter((name) => credentials.has(name)), ...headers];
      const taken = given.map((name) => keyOf(credentials.get(name)!));
      // Some documents describe credentials as parameters too.
      const parameters = endpoint.parameters.filter((one) => !taken.includes(keyOf(one)));
      endpoints.push({ ...endpoint, credentials: given, parameters });
    }
  }
  if (endpoints.length === 0 && !options.allowEmpty) {
    const [first] = skipped;
    const why = first ? `; the first is ${first.operation}: ${first.reason}` : "";
    const changing = `${withheld.length} can change something (--allow-destructive)`;
    refuse(`No operation is left: ${changing}, and ${skipped.length} cannot be served${why}`);
  }
  endpoints.sort((left, right) => left.name < right.name ? -1 : 1);
  const consent = consentBy(confirm), semaphore = new Semaphore(concurrency);
  const shared = { timeoutMs, maxBytes, maxShown, fetch, onfailure, base, credentials, consent, semaphore };
  const isTooMany = endpoints.length > (maxTools ?? MAX_TOOLS);
  const unfolded = isTooMany ? [] : toolsOf(endpoints, shared);
  const isTooLong = maxTools === undefined && sizeOf(unfolded.map(({ definition }) => definition)) > MAX_LIST;
  const isFolded = isTooMany || isTooLong;
  const tools = isFolded ? dispatchers(endpoints, shared) : unfolded;
  const served = new Set(endpoints.map(operationOf));
  const remarks = description.remarks.filter(({ operation }) => served.has(operation));
  return freeze({ base: base.toString(), tools, endpoints, isFolded, skipped, remarks, withheld });
}

/** `globalThis.fetch`, except for a GET or HEAD with a body, which it refuses. */
const fetchAny: Fetch = async (url, init) =>
  init.body && /^(?:GET|HEAD)$/.test(init.method!)
    ? await (await import("../platform/request.ts")).requestWithBody(url, init)
    : await globalThis.fetch(url, init);

/** Applies the filter and the names of safe endpoints. One that fits no endpoint is an error: it may be misspelt. */
function select({ description, filter = {}, safe = [] }: GatewayOptions): Operation[] {
  // Descriptions come from `readEndpoints` and `readOpenApi` only, which make operations.
  const all = description.endpoints as readonly Operation[];
  type NamesOf = (endpoint: Endpoint) => readonly string[];
  const isSame = (value: string) => (name: string) => name === value;
  // A star matches slashes too. The matcher has `**` for that, and the third star keeps it from being read as `**/`.
  const isLike = (pattern: string) => toMatcher(pattern.replaceAll("*", "***"));
  const chooser = (kind: string, namesOf: NamesOf, values: readonly string[] = [], toTest = isSame) => {
    if (values.length === 0) return () => true;
    const known = [...new Set(all.flatMap(namesOf))].sort();
    const tests = values.map((value) => {
      const test = toTest(value);
      if (known.some(test)) return test;
      const some = known.slice(0, MAX_NAMED).map((name) => shortened(name, MAX_SUMMARY)).join(", ") || "none";
      const rest = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : "";
      const hint = `${didYouMean(nearest(value, known))}; there are: ${some}${rest}`;
      return refuse(`There is no ${kind} "${value}" among the operations served${hint}`);
    });
    return (endpoint: Endpoint) => namesOf(endpoint).some((name) => tests.some((test) => test(name)));
  };
  const filters = [
    chooser("tag", ({ tags }) => tags, filter.tags),
    chooser("path", ({ path }) => [path], filter.paths, isLike),
    chooser("operation", ({ name }) => [name], filter.operations),
  ];
  chooser("POST operation", ({ name, method }) => method === "POST" ? [name] : [], safe);
  return all.filter((endpoint) => filters.every((isChosen) => isChosen(endpoint)))
    .map((endpoint) => safe.includes(endpoint.name) ? { ...endpoint, isSafe: true } : endpoint);
}

/** Whether a schema is too long for the list of tools. Its definitions are measured only until that is clear. */
function isLong(schema: Schema, definitions: Schemas): boolean {
  let left = MAX_LISTED;
  return [schema, ...Object.values(definitions)].some((one) => (left -= sizeOf(one)) < 0);
}

/** A tool for each endpoint. Long schemas of arguments are not listed, only their descriptions; calls are checked against them. */
function toolsOf(endpoints: readonly Operation[], shared: Shared): Tool[] {
  let isComplete = true;
  const tools = endpoints.map((endpoint) => {
    const { name, title, description, method, path, isSafe, definitions } = endpoint;
    const inputSchema = inputSchemaOf(endpoint, (schema) => {
      if (!isLong(schema, usedBy([schema], definitions))) return schema;
      isComplete = false;
      const { description = "" } = asObject(schema);
      return { description: `${description} Its schema: describe_operation.`.trim() };
    });
    const output = outputSchemaOf(endpoint);
    const { $defs = {}, ...root } = output ?? {};
    const outputSchema = isLong(root, $defs) ? undefined : output;
    const effect = `${method} ${path}.${isSafe ? "" : " Nothing is sent before it is confirmed."}`;
    return defineTool({
      name,
      description: `${description}\n\n${effect}`.trim(),
      inputSchema: checkedBy(endpointCall(endpoint, shared), inputSchema),
      ...compact({ title, outputSchema }),
      annotations: annotations(method, isSafe),
      timeoutMs: serverTimeoutMs(endpoint, shared),
      handler: (call, context) => call(context),
    });
  });
  return isComplete ? tools : [...tools, dispatchers(endpoints, shared)[1]!];
}

/** A schema that is published as it is, for arguments that the gateway checks itself: with formats, within limits, and once. */
function checkedBy(prepare: EndpointCall, schema: SchemaObject): StandardSchema<unknown, Call> {
  const validate = (value: unknown) => {
    const call = prepare(value as JsonObject);
    return typeof call === "function" ? { value: call } : { issues: call.map((message) => ({ message })) };
  };
  const jsonSchema = { input: () => schema, output: () => schema };
  const standard = { version: 1, vendor: "architrave", validate, jsonSchema } as const;
  return freeze(Object.defineProperty(schema, "~standard", { value: standard })) as never;
}

/** Three tools for APIs with too many operations to list: search them, describe one, call one. */
function dispatchers(endpoints: readonly Operation[], shared: Shared): Tool[] {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const find = (name: string): Operation => {
    const endpoint = byName.get(name);
    if (endpoint) return endpoint;
    return reject(`There is no operation "${name}"; look for one with search_operations`);
  };
  const describe = defineTool({
    name: "describe_operation",
    title: "Describe an operation of the API",
    description:
      "Says what an operation takes and answers, as JSON Schema. What is left out is read with part.",
    inputSchema: objectOf(["name"], {
      name: NAME,
      part: { ...TEXT, description: 'An item of leftOut, or "/inputSchema/$defs/NAME" for a missing $ref' },
    }),
    annotations: READ_ONLY,
    handler({ name, part }) {
      const endpoint = find(name);
      const { title, description, method, path, isSafe, response: good } = endpoint;
      const response = good && { schema: good.schema, $defs: usedBy([good.schema], good.definitions) };
      const hints = annotations(method, isSafe), inputSchema = inputSchemaOf(endpoint);
      const whole = { name, title, description, method, path, annotations: hints, inputSchema, response };
      const found = excerpt(compact(whole), MAX_DESCRIBED, part);
      if (!found) reject(`There is no part "${part}" of ${name}`);
      const { placed, left } = found;
      const value: JsonObject = { ...placed as JsonObject, ...left.length > 0 && { leftOut: left } };
      return new ToolResult([JSON.stringify(value)], {
        value: isTooDeep(value, MAX_LEVELS) ? undefined : value,
      });
    },
  });
  const isSafe = endpoints.every((endpoint) => endpoint.isSafe);
  const plan = " One that changes something answers with a plan first, which has to be confirmed.";
  const prepared = new Map<string, EndpointCall>();
  const call = defineTool({
    name: "call_operation",
    title: "Call an operation of the API",
    description: `Calls an operation with its arguments, as describe_operation says.${isSafe ? "" : plan}`,
    inputSchema: objectOf(["name"], {
      name: NAME,
      arguments: { type: "object", description: "As its inputSchema says", additionalProperties: true },
    }),
    annotations: annotations(isSafe ? "GET" : "POST", isSafe),
    timeoutMs: Math.max(...endpoints.map((endpoint) => serverTimeoutMs(endpoint, shared))),
    handler({ name, arguments: args = {} }, context) {
      let prepare = prepared.get(name);
      if (!prepare) prepared.set(name, prepare = endpointCall(find(name), shared));
      const run = prepare(args);
      return typeof run === "function" ? run(context) : reject(misfit(`The arguments of ${name}`, run));
    },
  });
  return [search(endpoints), describe, call];
}

/** Words of a query that tell nothing about an operation. */
const EMPTY_WORDS =
  /\b(?:an?|the|of|to|in|for|by|from|with|at|as|is|are|am|do|does|did|can|i|my|me|we|our|it|this|that|and|or|into|how)\b/gi;

/** What people say instead of the words that names and paths have. */
const SYNONYMS = new Map(
  ("list:all,every,show,which;get:show,see,read,view,look,what;create:add,new,make,open,write,start,put;" +
    "update:change,edit,modify,set,rename;delete:remove,erase,drop;search:find,look,query;send:write,post;" +
    "merge:combine,join,unite;reply:answer,respond;add:put,insert;user:person,people,who;me:my,own,current")
    .split(";").map((line) => line.split(":") as [string, string]),
);
const VERBS: JsonObject = { POST: "create", PUT: "update", PATCH: "update" };

function search(endpoints: readonly Operation[]): Tool {
  const entries = endpoints.map((endpoint) => {
    const { name, path, method, title = "" } = endpoint;
    const segments = path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
    const isList = method === "GET" && !path.endsWith("}");
    const verb = String(VERBS[method] ?? (isList ? "list" : method.toLowerCase()));
    const last = segments.at(-1) ?? "";
    // Any operation but a list is about one thing: its plural becomes a singular.
    const subject = isList ? last : last.replace(/(?<=[^sui])s$/, "");
    const words = `${name} ${path} ${title}`.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
    const terms = new Set([verb, ...words.split(/s?(?:[^a-z]+|$)/)]);
    const synonyms = [verb, ...Array.from(terms, (term) => SYNONYMS.get(term) ?? "")].join(" ");
    return { key: name, fingerprint: 0, endpoint, segments, subject, synonyms };
  });
  const piece = (field: Field, text = "") => ({ field, text, line: 0, heading: undefined, continues: false });
  const index = new SearchIndex<(typeof entries)[number]>({
    size: ({ endpoint }) => endpoint.description.length,
    text: ({ endpoint }) => endpoint.description,
    pieces: ({ endpoint: { name, title, method, tags, description }, segments, subject, synonyms }) => [
      piece("title", title),
      piece("title", subject),
      ...[name, method, synonyms, ...tags, ...segments.slice(0, -1)].map((text) => piece("tags", text)),
      piece("body", description),
    ],
    boost: ({ endpoint }) => 1 / (1 + 0.1 * endpoint.path.split("/").length),
    plain: (text) => text,
  });
  return defineTool({
    name: "search_operations",
    title: "Search the operations of the API",
    description:
      `Finds operations of the API, of which there are ${endpoints.length}, by words of their names, paths, tags ` +
      "and descriptions, the best first. Then read what one takes with describe_operation, and call it with call_operation.",
    inputSchema: objectOf(["query"], {
      query: { type: "string", minLength: 1, maxLength: 500, description: "Words of what is to be done" },
      limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `${MAX_HITS} unless given` },
    }),
    outputSchema: objectOf(["operations", "total"], {
      operations: { type: "array", items: objectOf(["name", "method", "path", "summary"], HIT) },
      total: { type: "integer", description: "How many operations have any of the words" },
    }),
    annotations: READ_ONLY,
    async handler({ query, limit = MAX_HITS }, { signal }) {
      await index.update(entries);
      const words = query.replace(EMPTY_WORDS, " ");
      const options = { limit, signal, refined: false };
      const { hits, total } = await index.search(/\w/.test(words) ? words : query, options);
      const operations = hits.map(({ document: { endpoint } }) => {
        const { name, method, path, title, description } = endpoint;
        const summary = shortened(title ?? description.split("\n", 1)[0]!, MAX_SUMMARY);
        return { name, method, path, summary };
      });
      return { operations, total };
    },
  });
}
