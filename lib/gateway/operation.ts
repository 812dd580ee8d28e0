/** Reads one operation of an OpenAPI document: its parameters, its body and its successful answer. */

import type { JsonObject } from "../base/json.ts";
import type { Schema } from "../schema/mod.ts";
import type { Body, BodyKind, Endpoint, Field, Parameter, Place, Style } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi.ts";
import type { SchemaReader } from "./schemas.ts";
import { asArray, asObject, isObject, own } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import { ARGUMENT, attempt, CONFIRMATION, SAFE_METHODS, STYLES, UnservableError } from "./endpoint.ts";
import { isOwnHeader, namesOf, parsePath } from "./request.ts";
import { argumentsOf } from "./schemas.ts";
import { kindOf } from "./serialize.ts";

/** The longest description, in characters: some clients reject more than 1,024. */
const MAX_DESCRIPTION = 900;
const MAX_TITLE = 100;
/** Headers that OpenAPI describes elsewhere; as parameters they are ignored. */
const ELSEWHERE = new Set(["accept", "content-type", "authorization"]);
const KINDS: readonly BodyKind[] = ["json", "form", "multipart", "text", "bytes"];
/** How deep a field is searched for bytes. */
const MAX_LEVELS = 20;

/** What operations are read from. */
export interface Source {
  readonly document: OpenApiDocument;
  /** Reads the schemas of arguments. */
  readonly sent: SchemaReader;
  /** Reads the schemas of answers. */
  readonly answered: SchemaReader;
  /** Whether the operator wrote the description: then nothing is left out, cut or renamed, and every mistake is an error. */
  readonly isOwn: boolean;
  /** Is told what is left out of an operation. */
  readonly onremark: (reason: string) => void;
}

/** Where an operation is, and what it says. */
interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The path item, whose parameters it shares. */
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/**
 * Reads one operation.
 *
 * @throws {UnservableError} When it cannot be served.
 */
export function readOperation(
  source: Source,
  { name, method, path, item, operation }: Operation,
): Omit<Endpoint, "credentials"> {
  if (method === "TRACE") throw new UnservableError("TRACE cannot be sent");
  const body = readBody(source, operation, method);
  const parameters = readParameters(source, namesOf(parsePath(path)), [item, operation], body !== undefined);
  const { summary, description, tags, deprecated } = operation;
  const title = textOf(summary)?.trim();
  const words = `${deprecated === true ? "Deprecated. " : ""}${textOf(description)?.trim() ?? title ?? ""}`;
  const cut = (text: string, most: number) => source.isOwn ? text : shortened(text, most);
  return {
    name,
    ...(title === undefined ? {} : { title: cut(title, MAX_TITLE) }),
    description: cut(words.trim(), MAX_DESCRIPTION),
    method,
    path,
    tags: asArray(tags).filter((tag) => typeof tag === "string"),
    isSafe: SAFE_METHODS.has(method),
    isAllowed: false,
    parameters,
    body,
    definitions: source.sent.definitionsOf(argumentsOf({ parameters, body }).map(({ schema }) => schema)),
    ...readResponse(source, operation, method),
    timeoutMs: undefined,
  };
}

/** The parameters; those of the operation replace those of the path. */
function readParameters(
  { document, sent, isOwn, onremark }: Source,
  inPath: readonly string[],
  parts: readonly JsonObject[],
  hasBody: boolean,
): Parameter[] {
  const written = new Map<string, JsonObject>();
  for (const one of parts.flatMap(({ parameters }) => asArray(parameters))) {
    const part = document.object(one, "a parameter");
    written.set(`${part["in"]} ${part["name"]}`, part);
  }
  const read: Parameter[] = [];
  const taken = new Set([CONFIRMATION, ...(hasBody ? ["body"] : [])]);
  for (const [index, part] of [...written.values()].entries()) {
    const { name, in: place, required } = part;
    if (!isOwn && place === "header" && ELSEWHERE.has(String(name).toLowerCase())) continue;
    if (!isOwn && place === "path" && !inPath.includes(String(name))) continue;
    attempt(() => {
      const parameter = readParameter(part, sent, inPath);
      const argument = isOwn ? parameter.argument : argumentOf(parameter, taken);
      const note = argument === name ? "" : `(sent as ${name})`;
      const words = `${textOf(part["description"]) ?? ""} ${note}`.trim();
      taken.add(argument);
      read.push({ ...parameter, argument, schema: described(parameter.schema, words) });
    }, ({ message, pointer }) => {
      if (isOwn || required === true || place === "path") {
        throw new UnservableError(message, `/parameters/${index}${pointer}`);
      }
      onremark(message);
    });
  }
  const missing = inPath.find((name) => !written.has(`path ${name}`));
  if (missing === undefined) return read;
  throw new UnservableError(`There is no parameter for {${missing}} of the path`, "/path");
}

function readParameter(part: JsonObject, sent: SchemaReader, inPath: readonly string[]): Parameter {
  const { name, in: place, required, content, allowEmptyValue, allowReserved } = part;
  if (typeof name !== "string" || name === "") throw new UnservableError("A parameter has no name", "/name");
  const fail = (reason: string, pointer = ""): never => {
    throw new UnservableError(`The parameter ${name} ${reason}`, pointer);
  };
  if (!isPlace(place)) return fail(`is in ${JSON.stringify(place)}, which is not a place`, "/in");
  if (place === "path" && !inPath.includes(name)) fail("is not in the path", "/name");
  if (place === "cookie" && !/^[\w.-]+$/.test(name)) fail("has a name that no cookie can have", "/name");
  if (place === "header" && (isOwnHeader(name) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))) {
    fail("is a header that no argument may be", "/name");
  }
  // Of media types, only JSON can be written into a parameter.
  const json = content === undefined ? undefined : Object.entries(asObject(content))[0] ?? ["nothing", {}];
  if (json && !/^application\/json\b/i.test(json[0])) fail(`is written as ${json[0]}`);
  const [usual] = STYLES[place] as [Style];
  const { schema = {}, style = usual, explode = style === "form" } = json
    ? { schema: asObject(json[1])["schema"] }
    : part as { schema?: unknown; style?: Style; explode?: unknown };
  if (!STYLES[place].includes(style)) {
    fail(`has the style ${style}; in a ${place} there are ${STYLES[place].join(", ")}`, "/style");
  }
  if (explode === true && style.endsWith("Delimited")) {
    fail(`is ${style} and exploded, which means nothing`, "/explode");
  }
  return {
    name,
    argument: name,
    in: place,
    required: place === "path" || required === true,
    schema: sent.read(schema),
    style,
    explode: explode === true,
    ...(json ? { json: true } : allowReserved === true ? { allowReserved } : {}),
    ...(place === "query" && allowEmptyValue !== true ? { refusesEmpty: true } : {}),
  };
}

function isPlace(place: unknown): place is Place {
  return typeof place === "string" && Object.hasOwn(STYLES, place);
}

/** The name of a parameter's argument: its own, where every model may write it and no other argument has it. */
function argumentOf({ name, in: place }: Parameter, taken: ReadonlySet<string>): string {
  const plain = ARGUMENT.test(name)
    ? name
    : name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 50) || "value";
  const names = [plain, `${place}_${plain}`.slice(0, 60)].filter((one) => ARGUMENT.test(one));
  for (let number = 2; names.every((one) => taken.has(one)); number++) names.push(`${plain}_${number}`);
  return names.find((one) => !taken.has(one))!;
}

/** A schema with a description for the model, unless it has its own. */
function described(schema: Schema, description: string | undefined): Schema {
  if (!description || typeof schema === "boolean" || schema.description !== undefined) return schema;
  return { ...schema, description };
}

/** The body. Of several media types, JSON comes before forms, and forms before bytes. */
function readBody(source: Source, { requestBody }: JsonObject, method: string): Body | undefined {
  const { document, isOwn } = source;
  if (requestBody === undefined) return undefined;
  const { content, description, required } = document.object(requestBody, "the body");
  if (method === "GET" || method === "HEAD") {
    if (required === true || isOwn) {
      throw new UnservableError(`${method} with a body cannot be sent`, "/body");
    }
    source.onremark(`${method} is sent without its body`);
    return undefined;
  }
  const types = Object.entries(asObject(content)).filter(([, media]) => isObject(media)).map(
    ([type, media]) => {
      const { schema, encoding } = asObject(media);
      return { ...concrete(type, schema, source), schema, encoding };
    },
  );
  const kind = KINDS.find((kind) => types.some((one) => one.kind === kind));
  if (kind === undefined) {
    const found = Object.keys(asObject(content)).join(", ") || "it names none";
    throw new UnservableError(`Its body has no type that can be written: ${found}`, "/body");
  }
  const { type, schema, encoding } = types.find((one) => one.kind === kind)!;
  const isForm = kind === "form" || kind === "multipart";
  const bytes = isForm ? bytesOf(schema, document) : new Map<string, string>();
  const converted = isOwn || isForm || kind === "json"
    ? source.sent.read(schema ?? {})
    : kind === "bytes"
    ? { type: "string", contentEncoding: "base64" } as const
    : { type: "string" } as const;
  return {
    argument: "body",
    type,
    kind,
    required: required === true,
    schema: described(withNote(converted, [...bytes.keys()]), textOf(description)),
    fields: isForm ? fieldsOf(asObject(encoding), bytes) : {},
  };
}

/**
 * The type and kind of a body. Where any type is accepted, what is described as text is sent as bytes, and anything else as JSON.
 * Text and bytes are sent as they are, so their kind is undefined when they are described as something else.
 */
function concrete(
  written: string,
  schema: unknown,
  { document, isOwn }: Source,
): { type: string; kind: BodyKind | undefined } {
  const root = isObject(schema) ? document.object(schema, "a schema") : {};
  const isText = root["type"] === undefined
    ? !["properties", "allOf", "oneOf", "anyOf", "items"].some((keyword) => keyword in root)
    : root["type"] === "string";
  const type = !written.includes("*") ? written : isText ? "application/octet-stream" : "application/json";
  const kind = kindOf(type);
  const isPlain = kind === "text" || kind === "bytes";
  return { type, kind: isPlain && !isOwn && (!isText || /[/+]xml\b|yaml/i.test(type)) ? undefined : kind };
}

/** The fields of a form that are not written in the default way. */
function fieldsOf(encoding: JsonObject, bytes: ReadonlyMap<string, string>): Record<string, Field> {
  const fields: Record<string, Field> = Object.create(null);
  for (const name of new Set([...Object.keys(encoding), ...bytes.keys()])) {
    const { contentType = bytes.get(name), style, explode } = asObject(own(encoding, name));
    const chosen = (style ?? "form") as Style;
    if (!STYLES.query.includes(chosen)) {
      throw new UnservableError(`The field ${name} has the style ${chosen}, which forms do not have`);
    }
    const isUsual = style === undefined && explode === undefined;
    const type = typeof contentType === "string" ? contentType.split(",", 1)[0]!.trim() : "*";
    fields[name] = {
      ...(isUsual
        ? {}
        : { serialization: { style: chosen, explode: (explode ?? chosen === "form") === true } }),
      ...(/[*\r\n]/.test(type) ? {} : { type }),
      ...(bytes.has(name) ? { bytes: true } : {}),
    };
  }
  return fields;
}

/** The fields of a form that are bytes, with the media type of each. */
function bytesOf(schema: unknown, document: OpenApiDocument): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, member] of document.membersOf(schema)) {
    const type = typeOfBytes(member, document, 0);
    if (type !== undefined) found.set(name, type);
  }
  return found;
}

/** The media type of a field that is bytes, or a list of them, or bytes in each alternative but null; undefined for any other. */
function typeOfBytes(field: unknown, document: OpenApiDocument, level: number): string | undefined {
  if (!isObject(field) || level > MAX_LEVELS) return undefined;
  const within = (one: unknown) => typeOfBytes(one, document, level + 1);
  const { type, format, items, allOf, anyOf, oneOf, contentMediaType, contentEncoding } = document.object(
    field,
    "a field",
  );
  if (type === "array") return within(items);
  const isText = type === undefined || [type].flat().includes("string");
  if (isText && contentEncoding === undefined && typeof contentMediaType === "string") {
    const isBytes = kindOf(contentMediaType) === "bytes" && !/[/+](?:xml|yaml)\b/i.test(contentMediaType);
    return isBytes ? contentMediaType : undefined;
  }
  if (format === "binary") return "application/octet-stream";
  for (const alternatives of [anyOf, oneOf]) {
    const types = asArray(alternatives).filter((one) => asObject(one)["type"] !== "null").map(within);
    if (types.length > 0 && !types.includes(undefined)) return types[0];
  }
  return asArray(allOf).map(within).find((found) => found !== undefined);
}

/** Tells the model which fields are bytes. */
function withNote(schema: Schema, bytes: readonly string[]): Schema {
  if (bytes.length === 0 || typeof schema === "boolean") return schema;
  const note = `${schema.description ?? ""} The bytes of ${bytes.join(", ")} are given as Base64.`;
  return { ...schema, description: note.trimStart() };
}

/** The JSON of a successful answer, and what to accept. */
function readResponse(
  { document, answered, isOwn, onremark }: Source,
  { responses }: JsonObject,
  method: string,
): Pick<Endpoint, "response" | "accept"> {
  const good = Object.entries(asObject(responses)).filter(([status]) => /^2(?:\d\d|XX)$/.test(status));
  const media = good.flatMap(([status, response]) =>
    Object.entries(asObject(document.object(response, `the response ${status}`)["content"]))
  );
  const types = [...new Set(media.map(([type]) => type))];
  const json = types.filter((type) => kindOf(type) === "json");
  const accept = (json.length > 0 ? json : types).join(", ") || "*/*";
  const [, first] = media.find(([type]) => json.includes(type)) ?? [];
  const { schema: written } = asObject(first);
  if (method === "HEAD" || written === undefined) return { response: undefined, accept };
  const isOnly = good.length === 1 && types.length === 1;
  return attempt<Pick<Endpoint, "response" | "accept">>(() => {
    const schema = answered.read(written);
    return { response: { schema, definitions: answered.definitionsOf([schema]), isOnly }, accept };
  }, (error) => {
    if (isOwn) throw error;
    onremark(`Nothing is promised of its answer: ${error.message}`);
    return { response: undefined, accept };
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
