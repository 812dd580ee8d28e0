/** Reads OpenAPI documents as endpoints. An operation that cannot be served does not affect the others. */

import type { JsonObject } from "../base/json.ts";
import type { Description, Operation, Skipped } from "./endpoint.ts";
import type { Scheme } from "./secrets.ts";
import { asArray, asObject, asString, freeze, isObject, own } from "../base/json.ts";
import { escapeToken } from "../base/pointer.ts";
import { quoted, uriDecoded } from "../base/text.ts";
import { readYaml, YamlError } from "../formats/yaml.ts";
import { GatewayError, operationOf, recover, refuse } from "./endpoint.ts";
import { readOperation, unpromised } from "./operation.ts";
import { BaseUrl } from "./request.ts";
import { argumentsOf, findUnusable, IN_PLACE, openApiSchemas, partsOf, tokensOf } from "./schemas.ts";

/** What a document leaves to the operator of the gateway. */
export interface OpenApiOptions {
  /** The values of server variables. @default {their defaults} */
  readonly variables?: { readonly [name: string]: string };
  /** Where the API is, whatever the document says. */
  readonly base?: string | undefined;
  /** Names of the given credentials: of several security requirements, the first that they satisfy is used. */
  readonly credentials?: readonly string[];
  /** Allowed hosts of operations with a server of their own: "uploads.example.com". Such operations of other hosts are skipped. */
  readonly servers?: readonly string[];
}

const METHODS = ["get", "head", "options", "post", "put", "patch", "delete", "trace"];
/** A name that every model and client accepts. Clients put the server's name in front, and drop tools whose name is over 60. */
const NAME = /^[A-Za-z0-9_-]{1,48}$/;
const MAX_REFERENCES = 100;
type Schemes = Description["schemes"];

/** The files that a document may refer to. */
export interface OpenApiFiles {
  /** The name of the document's own file. */
  readonly name: string;
  /** The text of a file, by its path from the folder of the document. @throws {GatewayError} When it cannot be read. */
  read(path: string): string;
  /** Called with each file that cannot be read or parsed. */
  onskip?(path: string, error: GatewayError): void;
}

/** Parses a document, JSON or YAML, and takes in the `files` that it refers to. @throws {GatewayError} When it is neither. */
export function parseOpenApi(text: string, files?: OpenApiFiles): unknown {
  const root = parse(text);
  if (files && isObject(root)) include(root, files);
  return root;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (json) {
    try {
      return readYaml(text);
    } catch (cause) {
      if (!(cause instanceof YamlError)) throw cause;
      const reason = /^\s*[{[]/.test(text) ? `JSON: ${(json as Error).message}` : `YAML: ${cause.message}`;
      throw new GatewayError(`It is not ${reason}`, undefined, { cause });
    }
  }
}

/** The member of a document that holds the files it refers to, by their path. */
const FILES = "x-files";

/** Adds the files that references lead to, and changes the references. What cannot be read is left as it is. */
function include(root: JsonObject, { name, read, onskip }: OpenApiFiles): void {
  const files = new Map<string, unknown>();
  const seen = new Set<object>();
  const waiting: (readonly [value: unknown, path: string])[] = [[root, name]];
  /** Takes in the file of a reference, and returns the reference to that within the document. */
  const placed = (reference: string, from: string): string => {
    const [, file, fragment = ""] = /^([^#]*)(?:#((?:\/.*)?))?$/s.exec(reference) ?? [];
    const path = file === "" ? from : file && pathOf(file, from);
    if (path === undefined) return reference;
    if (path === name) return `#${fragment}`;
    if (!files.has(path)) {
      files.set(path, recover(() => parse(read(path)), (error) => onskip?.(path, error)));
      waiting.push([files.get(path), path]);
    }
    const place = encodeURIComponent(escapeToken(path));
    return files.get(path) === undefined ? reference : `#/${FILES}/${place}${fragment}`;
  };
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, path] = next;
    // Aliases share values.
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const one of Object.values(value)) waiting.push([one, path]);
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string") Object.assign(value, { $ref: placed($ref, path) });
  }
  if (files.size > 0) Object.assign(root, { [FILES]: Object.fromEntries(files) });
}

/** The path of a file that the file `from` refers to, from the folder of the document; undefined when it is not below that. */
function pathOf(reference: string, from: string): string | undefined {
  const file = uriDecoded(reference);
  if (file === undefined || /^(?:[a-z][a-z\d+.-]*:|\/)|[\\\0?]/i.test(file)) return undefined;
  const segments = from.split("/").slice(0, -1);
  for (const segment of file.split("/")) {
    if (segment !== ".." && segment !== "." && segment !== "") segments.push(segment);
    else if (segment === ".." && segments.pop() === undefined) return undefined;
  }
  return segments.join("/");
}

/** Reads a parsed document of OpenAPI 3.0 or 3.1. @throws {GatewayError} When it is none, or its servers cannot be used. */
export function readOpenApi(document: unknown, options: OpenApiOptions = {}): Description {
  const whole = new OpenApiDocument(document);
  const { paths = {}, security } = whole.root;
  const base = readServer(whole, options);
  if (!isObject(paths)) refuse("The paths of an OpenAPI document must be an object", "/paths");
  const skipped: Skipped[] = [], remarks: Skipped[] = [];
  const names = new Set<string>();
  const read: Operation[] = [];
  /** The one that is being read, which errors and remarks are about. */
  let operation = "";
  const skip = ({ reason }: GatewayError) => void skipped.push({ operation, reason });
  const onremark = (reason: string) => void remarks.push({ operation, reason });
  const sent = openApiSchemas(whole, "sent", onremark);
  const answered = openApiSchemas(whole, "answered", onremark);
  const schemes = schemesOf(whole);
  const source = { document: whole, sent, answered, isOwn: false, onremark };
  for (const [path, written] of Object.entries(paths)) {
    if (!path.startsWith("/")) continue;
    operation = path;
    const item = recover(() => pathItem(written, path, whole), skip) ?? {};
    for (const key of METHODS.filter((method) => item[method] !== undefined)) {
      const method = key.toUpperCase();
      operation = `${method} ${path}`;
      recover(() => {
        // An operation that cannot be served takes a name too: it may be served one day.
        const identifier = asString(asObject(item[key])["operationId"]) ?? "";
        const wanted = [nameOf(identifier, key, path), nameOf("", key, path)];
        const name = wanted.find((one) => !names.has(one));
        if (name === undefined) refuse(`Its name, ${wanted[1]}, is taken by another operation`);
        names.add(name);
        const found = whole.object(item[key], "the operation");
        const server = ownServer([found, item], whole.root, options, base);
        const endpoint = readOperation({ ...source, name, method, path, item, operation: found });
        const credentials = credentialsOf(found["security"] ?? security, schemes, options.credentials);
        read.push({ ...endpoint, credentials, base: server });
      }, skip);
    }
  }
  const hosts = read.map(({ base }) => base && new URL(base).host);
  const unfit = options.servers?.find((host) => !hosts.includes(host));
  if (unfit !== undefined) refuse(`No operation has a server of its own on "${unfit}"`);
  const unusable = findUnusable(read, sent.definitions, argumentsOf);
  for (const [one, reason] of unusable) skipped.push({ operation: operationOf(one), reason });
  const unchecked = findUnusable(read, answered.definitions, ({ response }) => response ? [response] : []);
  for (const [one, why] of unchecked) remarks.push({ operation: operationOf(one), reason: unpromised(why) });
  const endpoints = read.filter((one) => !unusable.has(one))
    .map((one) => unchecked.has(one) ? { ...one, response: undefined } : one);
  return freeze({ base, isOwnBase: false, schemes, endpoints, skipped, remarks });
}

/** A path item. The members next to a reference replace those of its target, but parameters are added. */
function pathItem(written: unknown, path: string, document: OpenApiDocument): JsonObject {
  const { $ref, ...siblings } = asObject(written);
  const found = document.object(written, `the path ${path}`);
  if ($ref === undefined) return found;
  const parameters = [found, siblings].flatMap(({ parameters }) => asArray(parameters));
  return { ...found, ...siblings, parameters };
}

/** The name of an operation. It depends on nothing else, so that it never means another operation when the API grows. */
function nameOf(operationId: string, method: string, path: string): string {
  if (NAME.test(operationId)) return operationId;
  const words = operationId || `${method} ${path.replace(/\{([^}]*)\}/g, "by $1")}`;
  const plain = words.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+/, "").slice(0, 42).replace(/_+$/, "");
  // Identifiers that differ only in what is cut or replaced get different marks: five digits of an FNV-1a hash in base 36.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(operationId || `${method} ${path}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  const mark = (hash % 36 ** 5).toString(36).padStart(5, "0");
  return plain === "" ? mark : `${plain}_${mark}`;
}

export class OpenApiDocument {
  readonly root: JsonObject;
  /** Whether it is of OpenAPI 3.0, which ignores the siblings of a reference. */
  readonly isOld: boolean;
  readonly #targets = new Map<string, unknown>();

  constructor(root: unknown) {
    if (!isObject(root)) refuse("An OpenAPI document must be an object", "");
    const { swagger, openapi, endpoints, jsonSchemaDialect = "2020-12" } = root;
    const advice = 'convert it with "npx swagger2openapi FILE -o api.json"';
    if (swagger !== undefined) refuse(`Swagger 2 is not supported: ${advice}`, "/swagger");
    const [version] = /^3\.[01](?=\.|$)/.exec(asString(openapi) ?? "") ?? [];
    const isOther = openapi === undefined && endpoints !== undefined;
    if (isOther) refuse("This is an endpoint file, not an OpenAPI document: name it with --endpoints", "");
    const found = JSON.stringify(openapi) ?? "nothing";
    const reason = `OpenAPI 3.0 and 3.1 are supported, and the version is ${found}`;
    if (version === undefined) refuse(reason, "/openapi");
    const isKnown = /\b2020-12\b|\boas\/3\.1\b/.test(String(jsonSchemaDialect));
    if (!isKnown) refuse("The only supported dialect is JSON Schema 2020-12", "/jsonSchemaDialect");
    this.root = root;
    this.isOld = version === "3.0";
  }

  /** An object, or the one that a reference leads to; `what` names it in the error. */
  object(value: unknown, what: string): JsonObject {
    const seen = new Set<unknown>();
    while (isObject(value) && typeof value["$ref"] === "string") {
      if (seen.has(value)) refuse(`The reference of ${what} leads in a circle`);
      seen.add(value);
      value = this.at(value["$ref"]);
    }
    if (isObject(value)) return value;
    return refuse(`The description of ${what} is not an object`);
  }

  /** The value that a reference leads to, within the document, perhaps through other references. */
  at(reference: string, depth = 0): unknown {
    const known = this.#targets.get(reference);
    if (known !== undefined) return known;
    const fail = (reason: string): never => refuse(`The reference "${quoted(reference, 200)}" ${reason}`);
    if (!/^#(?:\/|$)/.test(reference)) fail("leads out of the document, or to an anchor in it");
    let value: unknown = this.root;
    for (const name of tokensOf(reference) ?? fail("is not encoded correctly")) {
      while (isObject(value) && !Object.hasOwn(value, name) && typeof value["$ref"] === "string") {
        if (++depth > MAX_REFERENCES) fail("leads through too many others");
        value = this.at(value["$ref"], depth);
      }
      value = typeof value === "object" && value !== null ? own(value, name) : undefined;
    }
    this.#targets.set(reference, value ?? fail("leads to nothing"));
    return value;
  }

  /** The parts of a schema (see `partsOf`). A broken reference is left out. */
  parts(schema: unknown, lists: readonly string[] = ["allOf"]): JsonObject[] {
    const find = (reference: string) => recover(() => this.at(reference), () => undefined);
    return partsOf(schema, find, lists, this.isOld);
  }

  membersOf(schema: unknown): [name: string, schema: unknown][] {
    return this.parts(schema).flatMap(({ properties }) => Object.entries(asObject(properties)));
  }

  /** The names of the members of an object schema that are read-only: they need not be sent. */
  readOnlyMembers(schema: unknown): string[] {
    const isReadOnly = (member: unknown) => this.parts(member).some(({ readOnly }) => readOnly === true);
    return this.membersOf(schema).flatMap(([name, member]) => isReadOnly(member) ? [name] : []);
  }

  /** Whether the target of a reference requires one of some members. */
  demands(reference: string, names: ReadonlySet<string>): boolean {
    const parts = names.size === 0 ? [] : this.parts({ $ref: reference }, IN_PLACE);
    return parts.some(({ required }) => asArray(required).some((name) => names.has(String(name))));
  }
}

function readServer({ root }: OpenApiDocument, { base, variables = {} }: OpenApiOptions): string | undefined {
  const known = asArray(root["servers"]).flatMap((one) => Object.keys(asObject(asObject(one)["variables"])));
  const unknown = Object.keys(variables).find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`The document has no server variable "${unknown}"`);
  if (base !== undefined) return base;
  const urls = [...new Set(urlsOf(root, variables))];
  const [url] = urls;
  const some = urls.slice(0, 5).join(", ");
  if (urls.length > 1) refuse(`Choose one of several servers with --base: ${some}`, "/servers");
  if (url === undefined || /^https?:\/\//.test(url)) return url;
  const reason = `The address of the API is relative to the document ("${url}"): name it with --base`;
  return refuse(reason, "/servers/0/url");
}

/** The server that an operation, or else its path, has instead of that of the API, if it has one. It must be allowed. */
function ownServer(parts: readonly JsonObject[], root: JsonObject, options: OpenApiOptions, base = "") {
  const { variables, servers = [] } = options;
  const urls = parts.map((part) => urlsOf(part, variables)).find(({ length }) => length > 0);
  const plain = (url: string) => url.replace(/\/+$/, "");
  const known = [base, ...urlsOf(root, variables)].map(plain);
  if (!urls || urls.some((url) => known.includes(plain(url)))) return undefined;
  const hosts = urls.map((url) => URL.parse(url)?.host ?? "HOST");
  const named = urls.find((_, index) => servers.includes(hosts[index]!));
  if (named !== undefined) return new BaseUrl(named).toString();
  return refuse(`It has its own server, ${urls[0]}: allow it with --server ${hosts[0]}`);
}

function urlsOf(part: JsonObject, given: OpenApiOptions["variables"] = {}): string[] {
  return asArray(part["servers"]).filter(isObject).map(({ url, variables }, index) => {
    const at = `/servers/${index}`;
    if (typeof url !== "string") refuse("A server needs an address", `${at}/url`);
    return url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const { default: usual, enum: allowed } = asObject(own(asObject(variables), name));
      const value = own(given, name) ?? usual;
      const isAllowed = !Array.isArray(allowed) || allowed.includes(value);
      if (isAllowed && typeof value === "string") return value;
      const wanted = isAllowed ? "a value: give one with --variable" : `one of ${allowed.join(", ")}`;
      return refuse(`The server variable "${name}" needs ${wanted}`, `${at}/variables/${name}`);
    });
  });
}

function schemesOf(whole: OpenApiDocument): Schemes {
  const written = asObject(asObject(whole.root["components"])["securitySchemes"]);
  const known = Object.entries(written).flatMap(([key, one]): [string, Scheme][] => {
    const { type, in: place, name, scheme } = recover<JsonObject>(() => whole.object(one, key), () => ({}));
    const isPlace = place === "header" || place === "query" || place === "cookie";
    if (type === "apiKey" && isPlace && typeof name === "string") return [[key, { type: place, name }]];
    const kind = String(scheme).toLowerCase();
    if (type === "http" && (kind === "basic" || kind === "bearer")) return [[key, { type: kind }]];
    // The operator obtains such a token; it is sent as a bearer token.
    return type === "oauth2" || type === "openIdConnect" ? [[key, { type: "bearer" }]] : [];
  });
  return Object.fromEntries(known);
}

/** The names of the credentials that an operation with these security requirements is called with. */
function credentialsOf(needs: unknown, schemes: Schemes, given: readonly string[] = []): readonly string[] {
  const ways = asArray(needs).map((way) => Object.keys(asObject(way)));
  const isKnown = (name: string) => Object.hasOwn(schemes, name);
  const chosen = ways.find((way) => way.length > 0 && way.every((name) => given.includes(name))) ??
    ways.find((way) => way.length === 0) ?? ways.find((way) => way.every(isKnown));
  if (chosen || ways.length === 0) return chosen ?? [];
  const name = ways[0]!.find((name) => !isKnown(name));
  return refuse(`The security scheme ${name} is not described, or none of apiKey, basic, bearer, OAuth 2`);
}
