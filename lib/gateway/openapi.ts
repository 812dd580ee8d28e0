/** Reads OpenAPI documents as endpoints. An operation that cannot be served does not affect others. */

import type { JsonObject } from "../base/json.ts";
import type { CredentialScheme } from "./credential.ts";
import type { Description, Operation, Skipped } from "./endpoint.ts";
import type { GatewayError } from "./errors.ts";
import { asArray, asObject, asString, freeze, isObject, own } from "../base/json.ts";
import { BaseUrl } from "./base_url.ts";
import { argumentsOf, operationOf } from "./endpoint.ts";
import { recover, refuse } from "./errors.ts";
import { checkMethod, methodsOf } from "./openapi_3_2.ts";
import { OpenApiDocument } from "./openapi_document.ts";
import { openApiSchemas } from "./openapi_schemas.ts";
import { readOperation, withoutOutput } from "./operation.ts";
import { findUnusable } from "./usable_schemas.ts";

/** Options of `readOpenApi()`. */
export interface OpenApiOptions {
  /** The values of server variables. @default {their defaults} */
  readonly variables?: { readonly [name: string]: string };
  /** The base URL of the API. @default {the server of the document} */
  readonly base?: string | undefined;
  /** The names of the available credentials: they decide which of several security requirements is used. */
  readonly credentials?: readonly string[];
  /** Allowed hosts for operations that have their own server: "uploads.example.com". Operations on other hosts are skipped. */
  readonly servers?: readonly string[];
}

/** A name that all models and clients accept. Clients add the name of the server as a prefix, and drop tools with names over 60 characters. */
const NAME = /^[A-Za-z0-9_-]{1,48}$/;

type Schemes = Description["schemes"];

/** Reads a parsed document of OpenAPI 3.0 to 3.2 or Swagger 2.0. @throws {GatewayError} When it is not one, or its servers cannot be used. */
export function readOpenApi(document: unknown, options: OpenApiOptions = {}): Description {
  const whole = new OpenApiDocument(document);
  const { paths = {}, security } = whole.root;
  /** The variables in the URLs of servers. */
  const seen = new Set<string>();
  const base = readServer(whole, options, seen);
  const variables = [...seen];
  if (!isObject(paths)) refuse("The paths of an OpenAPI document must be an object", "/paths");
  const skipped: Skipped[] = [], remarks: Skipped[] = [];
  const names = new Set<string>();
  const read: Operation[] = [];
  /** The current operation, for errors and remarks. */
  let operation = "";
  const skip = ({ reason }: GatewayError) => void skipped.push({ operation, reason });
  const onremark = (reason: string) => void remarks.push({ operation, reason });
  const sent = openApiSchemas(whole, "sent", onremark);
  const answered = openApiSchemas(whole, "answered", onremark);
  const schemes = schemesOf(whole);
  const source = { document: whole, sent, answered, isOwn: false, onremark };
  for (const [key, written] of Object.entries(paths)) {
    if (key.startsWith("x-")) continue;
    // Many documents have paths without the slash. An address of its own is not a path.
    const path = /^[\w{][^/:]*(?:\/|$)/.test(key) ? `/${key}` : key;
    operation = path;
    const item = recover(() => pathItem(written, path, whole), skip) ?? {};
    for (const [method, one] of methodsOf(item)) {
      operation = `${method} ${path}`;
      recover(() => {
        checkMethod(method, item);
        const found = whole.object(one, "the operation");
        // An operation that cannot be served keeps its name too: it may be served later.
        const operationId = asString(asObject(one)["operationId"] ?? found["operationId"]);
        const wanted = [nameOf(operationId ?? "", method, path), nameOf("", method, path)];
        const name = wanted.find((one) => !names.has(one));
        if (name === undefined) refuse(`Another operation already has its name, ${wanted[1]}`);
        names.add(name);
        const server = ownServer([found, item], whole.root, options, seen, base);
        const endpoint = readOperation({ ...source, name, method, path, item, operation: found });
        const credentials = credentialsOf(found["security"] ?? security, schemes, options.credentials);
        read.push({ ...endpoint, operationId, credentials, base: server });
      }, skip);
    }
  }
  const unknown = Object.keys(options.variables ?? {}).find((name) => !seen.has(name));
  if (unknown !== undefined) refuse(`The document has no server variable "${unknown}"`);
  const hosts = read.map(({ base }) => base && new URL(base).host);
  const unfit = options.servers?.find((host) => !hosts.includes(host));
  if (unfit !== undefined) refuse(`No operation has its own server on "${unfit}"`);
  const unusable = findUnusable(read, sent.definitions, argumentsOf);
  for (const [one, reason] of unusable) skipped.push({ operation: operationOf(one), reason });
  const unchecked = findUnusable(read, answered.definitions, ({ response }) => response ? [response] : []);
  for (const [one, why] of unchecked) {
    remarks.push({ operation: operationOf(one), reason: withoutOutput(why) });
  }
  const endpoints = read.filter((one) => !unusable.has(one))
    .map((one) => unchecked.has(one) ? { ...one, response: undefined } : one);
  return freeze({ base, variables, isOwnBase: false, schemes, endpoints, skipped, remarks });
}

/** A path item. Members next to a reference replace those of its target, but parameters are added. */
function pathItem(written: unknown, path: string, document: OpenApiDocument): JsonObject {
  const { $ref, ...siblings } = asObject(written);
  const found = document.object(written, `the path ${path}`);
  if ($ref === undefined) return found;
  const parameters = [found, siblings].flatMap(({ parameters }) => asArray(parameters));
  return { ...found, ...siblings, parameters };
}

/** The name of an operation. It depends on the operation alone, so that it stays the same when the API grows. */
function nameOf(operationId: string, method: string, path: string): string {
  if (NAME.test(operationId)) return operationId;
  const whole = operationId || `${method.toLowerCase()} ${path}`;
  const words = operationId ? whole : whole.replace(/\{([^}]*)\}/g, "by $1");
  const plain = words.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+/, "").slice(0, 42).replace(/_+$/, "");
  // Names that were cut or changed end with a hash: five digits of FNV-1a in base 36.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(whole)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const mark = (hash % 36 ** 5).toString(36).padStart(5, "0");
  return plain === "" ? mark : `${plain}_${mark}`;
}

/** The server of the API; undefined if the document has none. */
function readServer(
  { root }: OpenApiDocument,
  options: OpenApiOptions,
  seen: Set<string>,
): string | undefined {
  const urls = [
    ...new Set(recover(() => urlsOf(root, options, seen), (error) => {
      if (options.base === undefined) throw error;
      return [];
    })),
  ];
  if (options.base !== undefined) return options.base;
  const [url] = urls;
  const some = urls.slice(0, 5).join(", ");
  if (urls.length > 1) refuse(`Choose one of several servers with the option base: ${some}`, "/servers");
  if (url === undefined || /^https?:\/\//.test(url)) return url;
  const reason = `The URL of the server is relative ("${url}"): set the base URL with the option base`;
  return refuse(reason, "/servers/0/url");
}

/** The server of an operation or its path, if it differs from that of the API. It must be allowed. */
function ownServer(
  parts: readonly JsonObject[],
  root: JsonObject,
  options: OpenApiOptions,
  seen: Set<string>,
  base = "",
): string | undefined {
  const { servers = [] } = options;
  const urls = parts.map((part) => urlsOf(part, options, seen)).find(({ length }) => length > 0);
  const plain = (url: string) => url.replace(/\/+$/, "");
  if (!urls) return undefined;
  const known = [base, ...recover(() => urlsOf(root, options, seen), () => [])].map(plain);
  if (urls.some((url) => known.includes(plain(url)))) return undefined;
  const hosts = urls.map((url) => URL.parse(url)?.host ?? "");
  const named = urls.find((_, index) => servers.includes(hosts[index]!));
  if (named !== undefined) return new BaseUrl(named).toString();
  const way = /^[\w.:[\]-]+$/.test(hosts[0]!)
    ? `: allow it with the option servers ${hosts[0]}`
    : ", which names no host: correct it in the document";
  return refuse(`It has its own server, ${urls[0]}${way}`);
}

/** The URLs of the servers of an object, with variables filled in. Adds the names of the variables to `seen`. */
function urlsOf(part: JsonObject, { variables: given = {} }: OpenApiOptions, seen: Set<string>): string[] {
  return asArray(part["servers"]).filter(isObject).map(({ url, variables }, index) => {
    const at = `/servers/${index}`;
    if (typeof url !== "string") refuse("A server needs a URL", `${at}/url`);
    return url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      seen.add(name);
      const { default: usual, enum: allowed } = asObject(own(asObject(variables), name));
      const value = own(given, name) ?? usual;
      const isAllowed = !Array.isArray(allowed) || allowed.includes(value);
      if (isAllowed && typeof value === "string") return value;
      const wanted = isAllowed
        ? "a value: set it with the option variables"
        : `one of these values: ${allowed.join(", ")}`;
      return refuse(`The server variable "${name}" needs ${wanted}`, `${at}/variables/${name}`);
    });
  });
}

/** The supported security schemes of a document, by name. */
function schemesOf(whole: OpenApiDocument): Schemes {
  const written = asObject(asObject(whole.root["components"])["securitySchemes"]);
  const known = Object.entries(written).flatMap(([key, one]): [string, CredentialScheme][] => {
    const { type, in: place, name, scheme } = recover<JsonObject>(() => whole.object(one, key), () => ({}));
    const isPlace = place === "header" || place === "query" || place === "cookie";
    if (type === "apiKey" && isPlace && typeof name === "string") return [[key, { type: place, name }]];
    const kind = String(scheme).toLowerCase();
    if (type === "http" && (kind === "basic" || kind === "bearer")) return [[key, { type: kind }]];
    // The operator obtains the token; it is sent as a bearer token.
    return type === "oauth2" || type === "openIdConnect" ? [[key, { type: "bearer" }]] : [];
  });
  return Object.fromEntries(known);
}

/** The names of the credentials that are sent for these security requirements. */
function credentialsOf(needs: unknown, schemes: Schemes, given: readonly string[] = []): readonly string[] {
  const names = (way: unknown) =>
    Object.keys(asObject(way)).map((name) => name.replace(/^#\/components\/securitySchemes\//, ""));
  const ways = asArray(needs).map(names);
  const isKnown = (name: string) => Object.hasOwn(schemes, name);
  const chosen = ways.find((way) => way.length > 0 && way.every((name) => given.includes(name))) ??
    ways.find((way) => way.length === 0) ?? ways.find((way) => way.every(isKnown));
  if (chosen || ways.length === 0) return chosen ?? [];
  const name = ways[0]!.find((name) => !isKnown(name));
  return refuse(
    `The security scheme ${name} is not described, or is not one of apiKey, basic, bearer, OAuth 2`,
  );
}
