/** Builds gateways: they serve the endpoints of an API as tools. */

import type { Tool } from "../mcp/server/tool.ts";
import type { Confirm } from "./consent.ts";
import type { Credential, CredentialScheme } from "./credential.ts";
import type { Description, Endpoint, Operation, Skipped } from "./endpoint.ts";
import type { Filter } from "./filter.ts";
import type { Fetch } from "./send.ts";
import { printFailure } from "../base/failures.ts";
import { isPrivate, isSecure } from "../base/hosts.ts";
import { freeze, own } from "../base/json.ts";
import { BaseUrl } from "./base_url.ts";
import { askUser, consentBy } from "./consent.ts";
import { credential } from "./credential.ts";
import { dispatchers } from "./dispatchers.ts";
import { keyOf, operationOf } from "./endpoint.ts";
import { refuse } from "./errors.ts";
import { jsonSize } from "./excerpt.ts";
import { select } from "./filter.ts";
import { Semaphore } from "./semaphore.ts";
import { UpstreamError } from "./send.ts";
import { toolsOf } from "./tools.ts";

/** The maximum number of tools; dispatchers replace more. */
const MAX_TOOLS = 64;
/** The maximum size of the list of tools, in bytes; dispatchers replace a longer one. */
const MAX_LIST = 64 * 1024;

/** Options of `createGateway()`. */
export interface GatewayOptions {
  /** The result of `readEndpoints` or `readOpenApi`. */
  readonly description: Description;
  /** The base URL of the API. @default {that of the description} */
  readonly base?: string | undefined;
  /** Which endpoints are served. @default {all} */
  readonly filter?: Filter;
  /** Whether endpoints that can change something are served too. Each of their calls still needs confirmation. @default {false} */
  readonly allowDestructive?: boolean;
  /** Names of POST endpoints that only read. @default {those that the endpoint file marks} */
  readonly safe?: readonly string[];
  /** The contents of secret files, by the name of the credential. @default {none} */
  readonly secrets?: { readonly [name: string]: string };
  /** Secret headers that are sent with every request, by the name of the header. @default {none} */
  readonly secretHeaders?: { readonly [name: string]: string };
  /** Whether endpoints whose credentials are missing are served, and called without them. @default {false} */
  readonly withoutCredentials?: boolean;
  /** Whether a gateway without endpoints is allowed, for example to list what is not served. @default {false} */
  readonly allowEmpty?: boolean;
  /** The maximum number of endpoints that are tools; three dispatchers replace more. @default {64, in a list of 64 KiB} */
  readonly maxTools?: number;
  /** The timeout of an answer, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** The maximum size of an answer, in bytes. @default {1048576} */
  readonly maxBytes?: number;
  /** How much of an answer one result shows, in bytes; further calls read the rest. @default {32768} */
  readonly maxShown?: number;
  /** The maximum number of concurrent requests. @default {8} */
  readonly concurrency?: number;
  /** Sends requests. @default {globalThis.fetch, or a connection of its own for GET and HEAD with a body} */
  readonly fetch?: Fetch;
  /** Asks a person. @default {asks through the client; if that is not possible, the client repeats the call with a token} */
  readonly confirm?: Confirm;
  /** Whether secrets may be sent unencrypted to another machine, if the base is an http URL. @default {false} */
  readonly allowPlainHttp?: boolean;
  /**
   * Called when a call gets no answer (with the cause) or a status of 500 or more. The reason has no secrets.
   * @default {writes the tool and the reason to standard error}
   */
  readonly onfailure?: (tool: string, reason: string, cause?: UpstreamError) => void;
}

/** A gateway. It is frozen. */
export interface Gateway {
  /** The base URL, for people. */
  readonly base: string;
  /** The tools, for `createServer`. */
  readonly tools: readonly Tool[];
  /** The endpoints that can be called, sorted by name. */
  readonly endpoints: readonly Endpoint[];
  /** Whether three dispatchers replace the tools of the endpoints. */
  readonly isFolded: boolean;
  /** The operations that cannot be served. */
  readonly skipped: readonly Skipped[];
  /** The served operations whose tools differ from their descriptions. */
  readonly remarks: readonly Skipped[];
  /** The operations that can change something and are not allowed. */
  readonly withheld: readonly Skipped[];
}

/**
 * Builds a gateway.
 *
 * @throws {GatewayError} When an option matches nothing, or no endpoint is left and `allowEmpty` is not set.
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
  const { onfailure = printFailure, confirm = askUser } = options;
  const named = options.base ?? description.base;
  if (named === undefined) refuse("The base URL of the API is missing: set it with the option base");
  const base = new BaseUrl(named);
  // A document must not lead requests into the network of the operator.
  const isForeign = options.base === undefined && !description.isOwnBase;
  const other = description.variables?.map((name) => `the option variables ${name}=VALUE`).join(" ");
  const way = `allow it with the option base ${named}${other ? `, or set ${other}` : ""}`;
  if (isForeign && isPrivate(new URL(named).hostname)) {
    refuse(`The server of the document is on a private host: ${way}`);
  }
  const fetch = options.fetch ?? (isForeign ? fetchOutside(base, way) : fetchAny);
  const credentials = new Map<string, Credential>();
  for (const [name, content] of Object.entries(secrets)) {
    const scheme = own(description.schemes, name) as CredentialScheme | undefined;
    const known = Object.keys(description.schemes).join(", ") || "none";
    if (!scheme) refuse(`There is no credential "${name}"; the description has: ${known}`);
    credentials.set(name, credential(name, scheme, content));
  }
  const headers = Object.entries(secretHeaders).map(([name, content]) => {
    // The space distinguishes it from the schemes of the description.
    credentials.set(` ${name}`, credential(name, { type: "header", name }, content));
    return ` ${name}`;
  });
  const chosen = select(description, options.filter ?? {}, options.safe ?? []);
  const bases = [base.toString(), ...chosen.flatMap((one) => one.base ?? [])];
  const plain = bases.find((one) => !isSecure(new URL(one)));
  const isExposed = credentials.size > 0 && plain !== undefined && !options.allowPlainHttp;
  if (isExposed) {
    refuse(`Credentials would be sent unencrypted to ${plain}: use https or the option allowPlainHttp`);
  }
  const skipped = [...description.skipped];
  const withheld: Skipped[] = [];
  const endpoints: Operation[] = [];
  for (const endpoint of chosen) {
    const operation = operationOf(endpoint);
    const missing = endpoint.credentials.filter((name) => !credentials.has(name));
    if (missing.length > 0 && !options.withoutCredentials) {
      const way = `${
        missing.map((name) => `the option secrets ${name}=FILE`).join(" ")
      }, or the option withoutCredentials`;
      skipped.push({ operation, reason: `It needs the credential ${missing.join(" and ")} (${way})` });
    } else if (!endpoint.isSafe && !endpoint.isAllowed && !options.allowDestructive) {
      withheld.push({ operation, reason: `${endpoint.method} can change something and is not allowed` });
    } else {
      const given = [...endpoint.credentials.filter((name) => credentials.has(name)), ...headers];
      const taken = given.map((name) => keyOf(credentials.get(name)!));
      // Some documents also describe credentials as parameters.
      const parameters = endpoint.parameters.filter((one) => !taken.includes(keyOf(one)));
      endpoints.push({ ...endpoint, credentials: given, parameters });
    }
  }
  if (endpoints.length === 0 && !options.allowEmpty) {
    const [first] = skipped;
    const why = first ? `; the first is ${first.operation}: ${first.reason}` : "";
    const changing = `${withheld.length} can change something (the option allowDestructive)`;
    refuse(`No operation is left: ${changing}, and ${skipped.length} cannot be served${why}`);
  }
  endpoints.sort((left, right) => left.name < right.name ? -1 : 1);
  const consent = consentBy(confirm), semaphore = new Semaphore(concurrency);
  const settings = { timeoutMs, maxBytes, maxShown, fetch, onfailure, base, credentials, consent, semaphore };
  const isTooMany = endpoints.length > (maxTools ?? MAX_TOOLS);
  const unfolded = isTooMany ? [] : toolsOf(endpoints, settings);
  const isTooLong = maxTools === undefined &&
    jsonSize(unfolded.map(({ definition }) => definition)) > MAX_LIST;
  const isFolded = isTooMany || isTooLong;
  const tools = isFolded ? dispatchers(endpoints, settings) : unfolded;
  const served = new Set(endpoints.map(operationOf));
  const remarks = description.remarks.filter(({ operation }) => served.has(operation));
  return freeze({ base: base.toString(), tools, endpoints, isFolded, skipped, remarks, withheld });
}

/** `globalThis.fetch`, except for a GET or HEAD with a body, which `fetch` rejects. */
const fetchAny: Fetch = async (url, init) =>
  init.body && /^(?:GET|HEAD)$/.test(init.method!)
    ? await (await import("../platform/request.ts")).requestWithBody(url, init)
    : await globalThis.fetch(url, init);

/** As `fetchAny`, except for a host of this base that has a private address. */
function fetchOutside(base: BaseUrl, way: string): Fetch {
  return async (url, init) => {
    const { leadsInside } = await import("../platform/addresses.ts");
    if (!base.hasOrigin(url) || !await leadsInside(url.hostname)) return await fetchAny(url, init);
    throw new UpstreamError("address", `The server of the document has a private address: ${way}`);
  };
}
