/** What does a gateway offer? The endpoints of one API that may be called, as tools; fixed when it is built. */

import type { Tool } from "../server/tool.ts";
import type { Credential } from "./credential.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Description, Skipped } from "./endpoint_file.ts";
import type { Fetch } from "./executor.ts";
import type { Filter } from "./filter.ts";
import type { Confirm } from "./guard.ts";
import { askUser } from "./confirm.ts";
import type { Surroundings } from "./orchestrator.ts";
import { freeze } from "../base/json.ts";
import { BaseUrl, isPrivate } from "./base_url.ts";
import { credential } from "./credential.ts";
import { Executor } from "./executor.ts";
import { select } from "./filter.ts";
import { GatewayError } from "./gateway_error.ts";
import { Guard } from "./guard.ts";
import { TIMEOUT_MS, toTool } from "./orchestrator.ts";
import { dispatchers } from "./dispatchers.ts";

/** More tools than this, and three stand for all: models lose their way, and some clients take no more than 128. */
export const MAX_TOOLS = 64;
/** The largest answer, in bytes: more than any model reads at once. */
export const MAX_BYTES: number = 1024 * 1024;
/** How many requests are under way at once. */
export const CONCURRENCY = 8;

/** What a gateway is built from. */
export interface GatewayOptions {
  /** What `readEndpoints` or `readOpenApi` gave. */
  readonly description: Description;
  /** Where the API is. @default {what the description says} */
  readonly base?: string | undefined;
  /** Which endpoints. @default {all} */
  readonly filter?: Filter;
  /** Whether endpoints that change something are tools too. Each call of them is confirmed all the same. @default {false} */
  readonly allowDestructive?: boolean;
  /** Names of POST endpoints that change nothing. @default {those that the endpoint file marks} */
  readonly safe?: readonly string[];
  /** The content of the secret files, by the name of the credential. @default {none} */
  readonly secrets?: { readonly [name: string]: string };
  /** Headers with a secret that go with every request, by the name of the header. @default {none} */
  readonly secretHeaders?: { readonly [name: string]: string };
  /** Whether endpoints are called without the credentials that they ask for and that are not given. @default {false} */
  readonly withoutCredentials?: boolean;
  /** More tools than this, and three stand for all. @default {64} */
  readonly maxTools?: number;
  /** How long an answer may take, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** The largest answer, in bytes. @default {1048576} */
  readonly maxBytes?: number;
  /** How many requests are under way at once. @default {8} */
  readonly concurrency?: number;
  /** Sends requests. @default {globalThis.fetch} */
  readonly fetch?: Fetch;
  /** Asks people. @default {asks the user through the client; where that cannot be done, the call is made twice} */
  readonly confirm?: Confirm;
  /** Sees why there was no answer, in a sentence without secrets. @default {nobody} */
  readonly onfailure?: (tool: string, reason: string) => void;
}

/** A gateway: frozen. */
export interface Gateway {
  /** Where its requests go, for people. */
  readonly base: string;
  /** What `createServer` takes. */
  readonly tools: readonly Tool[];
  /** The endpoints behind the tools, sorted by name. */
  readonly endpoints: readonly Endpoint[];
  /** Whether three tools stand for all. */
  readonly isFolded: boolean;
  /** What is not served, and why. */
  readonly skipped: readonly Skipped[];
  /** What is served, but not quite as it is described. */
  readonly remarks: readonly Skipped[];
  /** What changes something and was not allowed. */
  readonly withheld: readonly Skipped[];
}

/**
 * Builds a gateway.
 *
 * @throws {GatewayError} When an option fits nothing, or nothing is left to be served.
 * @example
 * ```ts
 * import { createGateway, readEndpoints } from "@architrave/architrave/gateway";
 * import { createServer } from "@architrave/architrave/server";
 *
 * const description = readEndpoints({
 *   base: "https://api.example.com/v1",
 *   endpoints: [{
 *     name: "get_user",
 *     description: "Looks up a user by number.",
 *     method: "GET",
 *     path: "/users/{id}",
 *     parameters: [{ name: "id", in: "path", schema: { type: "integer" } }],
 *   }],
 * });
 * const { tools } = createGateway({ description });
 * const server = createServer({ info: { name: "users", version: "1.0.0" }, tools });
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { description } = options;
  const base = readBase(options);
  const general = Object.entries(options.secretHeaders ?? {})
    .map(([name, content]) => [` ${name}`, credential(name, { type: "header", name }, content)] as const);
  const credentials = new Map<string, Credential>([...readCredentials(options), ...general]);
  const skipped = [...description.skipped];
  const withheld: Skipped[] = [];
  const endpoints: Endpoint[] = [];
  for (const endpoint of select(description.endpoints, options.filter ?? {}, options.safe ?? [])) {
    const missing = options.withoutCredentials
      ? []
      : endpoint.credentials.filter((name) => !credentials.has(name));
    if (missing.length > 0) skipped.push(skip(endpoint, `It needs the credential ${missing.join(" and ")}`));
    else if (endpoint.isSafe || endpoint.isAllowed || options.allowDestructive) {
      const held = endpoint.credentials.filter((name) => credentials.has(name));
      const names = [...held, ...general.map(([name]) => name)];
      endpoints.push(withCredentials(endpoint, names, names.map((name) => credentials.get(name)!)));
    } else withheld.push(skip(endpoint, `${endpoint.method} can change something, and was not allowed`));
  }
  if (endpoints.length === 0) throw nothingLeft(skipped, withheld);
  endpoints.sort((left, right) => left.name < right.name ? -1 : 1);
  const served = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  const around = surroundings(options, base, credentials);
  const isFolded = endpoints.length > (options.maxTools ?? MAX_TOOLS);
  return Object.freeze({
    base: base.toString(),
    tools: Object.freeze(
      isFolded ? dispatchers(endpoints, around) : endpoints.map((endpoint) => toTool(endpoint, around)),
    ),
    endpoints: Object.freeze(endpoints),
    isFolded,
    skipped: Object.freeze(skipped),
    remarks: Object.freeze(description.remarks.filter(({ operation }) => served.has(operation))),
    withheld: Object.freeze(withheld),
  });
}

/** An endpoint with its credentials. Some documents describe those as parameters too, which nobody has to give then. */
function withCredentials(
  endpoint: Endpoint,
  names: readonly string[],
  held: readonly Credential[],
): Endpoint {
  const isHeld = ({ in: place, name }: Endpoint["parameters"][number]) =>
    held.some((one) => one.in === place && one.name === (place === "header" ? name.toLowerCase() : name));
  return freeze({
    ...endpoint,
    credentials: names,
    parameters: endpoint.parameters.filter((one) => !isHeld(one)),
  });
}

function surroundings(
  options: GatewayOptions,
  base: BaseUrl,
  credentials: ReadonlyMap<string, Credential>,
): Surroundings {
  const send = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const all = [...credentials.values()];
  return Object.freeze({
    base,
    credentials,
    sender: new Executor(base, send, {
      maxBytes: options.maxBytes ?? MAX_BYTES,
      concurrency: options.concurrency ?? CONCURRENCY,
    }),
    guard: new Guard(options.confirm ?? askUser),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    secrets: all,
    onfailure: options.onfailure ?? (() => {}),
  });
}

function readBase({ base, description }: GatewayOptions): BaseUrl {
  const named = base ?? description.base;
  if (named === undefined) {
    throw new GatewayError("It is not said where the API is: name its address with --base");
  }
  const read = new BaseUrl(named);
  // Whoever wrote the description of an API could point at what is inside the network of whoever runs this.
  if (base === undefined && !description.isOwnBase && isPrivate(new URL(named))) {
    throw new GatewayError(
      `The document names an address of this machine or its network, ${named}: repeat it with --base`,
    );
  }
  return read;
}

function readCredentials({ description: { schemes }, secrets = {} }: GatewayOptions): [string, Credential][] {
  return Object.entries(secrets).map(([name, content]) => {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (scheme) return [name, credential(name, scheme, content)];
    const known = Object.keys(schemes);
    throw new GatewayError(
      `There is no credential "${name}"; there ${known.length === 0 ? "are none" : `is ${known.join(", ")}`}`,
    );
  });
}

function skip({ method, path }: Endpoint, reason: string): Skipped {
  return { operation: `${method} ${path}`, reason };
}

function nothingLeft(skipped: readonly Skipped[], withheld: readonly Skipped[]): GatewayError {
  const [first] = skipped;
  const why = withheld.length > 0
    ? `${withheld.length} can change something: allow them with --allow-destructive`
    : first
    ? `${skipped.length} cannot be served; the first is ${first.operation}: ${first.reason}`
    : "there is none";
  return new GatewayError(`There is no operation left to be served: ${why}`);
}
