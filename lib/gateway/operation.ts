/** Reads one operation of an OpenAPI document: its parameters, its body and its successful answer. */

import type { JsonObject } from "../base/json.ts";
import type { Schema } from "../formats/schema/mod.ts";
import type {
  BodyField,
  Operation,
  Parameter,
  Place,
  RequestBody,
  ResponseShape,
  Style,
} from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi_document.ts";
import type { SchemaReader } from "./openapi_schemas.ts";
import { asArray, asObject, asString, isObject, own } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import { FIELD_NAME } from "../mcp/protocol/headers.ts";
import { ARGUMENT, CONFIRMATION, PART, SAFE_METHODS } from "./endpoint.ts";
import { recover, refuse } from "./errors.ts";
import { MEDIA_KINDS, mediaKind } from "./media_kind.ts";
import { parsePath } from "./path_template.ts";
import { isReservedHeader } from "./reserved_headers.ts";
import { STYLES } from "./serialize.ts";

/** The maximum length of a description in characters: some clients reject more than 1,024. */
const MAX_DESCRIPTION = 900;
const MAX_TITLE = 100;
/** Headers that OpenAPI describes in other places, and ignores as parameters. */
const ELSEWHERE = ["accept", "content-type", "authorization"];
/** How deep the schema of a field is searched. */
const MAX_LEVELS = 20;

/** An operation, and how to read it. */
export interface Source extends Pick<Operation, "name" | "method" | "path"> {
  /** The path item. Its parameters apply to the operation too. */
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly document: OpenApiDocument;
  readonly sent: SchemaReader;
  readonly answered: SchemaReader;
  /** Whether the operator of the gateway wrote it. Then nothing is omitted, cut or renamed, and every mistake is an error. */
  readonly isOwn: boolean;
  readonly onremark: (reason: string) => void;
}

export function readOperation(source: Source): Omit<Operation, "credentials"> {
  const { name, method, path, operation } = source;
  if (method === "TRACE") refuse("TRACE cannot be sent");
  const body = readBody(source);
  const parameters = readParameters(source, body !== undefined);
  const { summary, description, tags, deprecated } = operation;
  const title = textOf(summary);
  const words = `${deprecated === true ? "Deprecated. " : ""}${textOf(description) ?? title ?? ""}`;
  const cut = (text: string, most: number) => source.isOwn ? text : shortened(text, most);
  return {
    name,
    title: title && cut(title, MAX_TITLE),
    description: cut(words.trim(), MAX_DESCRIPTION),
    method,
    path,
    tags: asArray(tags).filter((tag) => typeof tag === "string"),
    isSafe: SAFE_METHODS.has(method),
    isAllowed: false,
    parameters,
    body,
    definitions: source.sent.definitions,
    ...readResponse(source),
    timeoutMs: undefined,
  };
}

function readParameters(source: Source, hasBody: boolean): Parameter[] {
  const { document, sent, isOwn, onremark, path, item, operation } = source;
  const inPath = parsePath(path).names;
  const all = [item, operation].flatMap(({ parameters }) => asArray(parameters))
    .map((part) => document.object(part, "a parameter"));
  const written = new Map(all.map((part) => [`${part["in"]} ${part["name"]}`, part]));
  const read: Parameter[] = [];
  const taken = new Set([CONFIRMATION, PART, ...(hasBody ? ["body"] : [])]);
  for (const [index, part] of [...written.values()].entries()) {
    const { name, in: place, required } = part;
    const isElsewhere = place === "header"
      ? ELSEWHERE.includes(String(name).toLowerCase())
      : place === "path" && !inPath.includes(String(name));
    if (isElsewhere && !isOwn) continue;
    recover(() => {
      const parameter = readParameter(part, sent, inPath);
      const argument = isOwn ? ownArgument(part, taken) : argumentOf(parameter, taken);
      const note = isOwn || argument === name ? "" : `(sent as ${name})`;
      taken.add(argument);
      read.push({ ...parameter, argument, schema: described(parameter.schema, part["description"], note) });
    }, ({ reason, pointer = "" }) => {
      if (isOwn || required === true || place === "path") refuse(reason, `/parameters/${index}${pointer}`);
      onremark(reason);
    });
  }
  const missing = inPath.find((name) => !written.has(`path ${name}`));
  if (missing !== undefined) refuse(`There is no parameter for {${missing}} in the path`, "/path");
  return read;
}

type Unnamed = Omit<Parameter, "argument">;

function readParameter(part: JsonObject, sent: SchemaReader, inPath: readonly string[]): Unnamed {
  const { name, in: place, required, content, allowEmptyValue, allowReserved } = part;
  if (typeof name !== "string" || name === "") refuse("A parameter has no name", "/name");
  const fail = (reason: string, pointer = ""): never => refuse(`The parameter ${name} ${reason}`, pointer);
  if (typeof place !== "string" || !Object.hasOwn(STYLES, place)) {
    return fail(`is in ${JSON.stringify(place)}; possible are ${Object.keys(STYLES).join(", ")}`, "/in");
  }
  if (place === "path" && !inPath.includes(name)) fail("is not in the path", "/name");
  if (place === "cookie" && !/^[\w.-]+$/.test(name)) fail("has a name that a cookie cannot have", "/name");
  const isFixed = place === "header" && (isReservedHeader(name) || !FIELD_NAME.test(name));
  if (isFixed) fail("is a header that arguments must not set", "/name");
  // JSON is the only media type that is supported for parameters.
  const json = content === undefined ? undefined : Object.entries(asObject(content))[0] ?? ["nothing", {}];
  if (json && !/^application\/json\b/i.test(json[0])) {
    fail(`has the media type ${json[0]}; only application/json is supported`);
  }
  const styles = STYLES[place as Place];
  const { schema = {}, style = styles[0]!, explode = style === "form" } = json
    ? { schema: asObject(json[1])["schema"] }
    : part as { schema?: unknown; style?: Style; explode?: unknown };
  const known = styles.join(", ");
  if (!styles.includes(style)) fail(`has the style ${style}; possible in a ${place} are ${known}`, "/style");
  const isBoth = explode === true && style.endsWith("Delimited");
  if (isBoth) fail(`is ${style} and exploded, which OpenAPI does not define`, "/explode");
  return {
    name,
    in: place as Place,
    required: place === "path" || required === true,
    schema: sent.read(schema),
    style,
    explode: explode === true,
    json: json !== undefined,
    allowReserved: allowReserved === true && !json,
    refusesEmpty: place === "query" && allowEmptyValue !== true,
  };
}

/** The name of the argument for a parameter: its own name, if all models accept it and it is not taken. */
function argumentOf({ name, in: place }: Unnamed, taken: ReadonlySet<string>): string {
  const words = name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 50) || "value";
  const plain = ARGUMENT.test(name) ? name : words;
  const isFree = (one: string) => ARGUMENT.test(one) && !taken.has(one);
  let found = [plain, `${place}_${plain}`.slice(0, 60)].find(isFree);
  for (let number = 2; found === undefined; number++) found = [`${plain}_${number}`].find(isFree);
  return found;
}

function ownArgument({ name, argument }: JsonObject, taken: ReadonlySet<string>): string {
  const chosen = String(argument ?? name);
  if (ARGUMENT.test(chosen) && !taken.has(chosen)) return chosen;
  const reason = taken.has(chosen) ? "is already an argument" : "cannot be the name of an argument";
  const pointer = argument === undefined ? "/name" : "/argument";
  return refuse(`"${chosen}" ${reason}; choose another name with "argument"`, pointer);
}

/** Adds a description, if the schema has none, and a note. */
function described(schema: Schema, description: unknown, note: string): Schema {
  if (typeof schema === "boolean") return schema;
  const words = `${schema.description ?? textOf(description) ?? ""} ${note}`.trim();
  return words === "" ? schema : { ...schema, description: words };
}

/** The body. Of several media types, the one that is first in `MEDIA_KINDS` is chosen. */
function readBody({ document, sent, isOwn, operation: { requestBody } }: Source): RequestBody | undefined {
  if (requestBody === undefined) return undefined;
  const { content: written, description, required } = document.object(requestBody, "the body");
  const content = Object.entries(asObject(written));
  const usable = content.flatMap(([range, media]) => {
    const { schema, encoding } = asObject(media);
    const root = document.object(isObject(schema) ? schema : {}, "a schema");
    const type = isObject(media) ? concrete(range, root, isOwn) : undefined;
    return type === undefined ? [] : [{ type, kind: mediaKind(type), schema, encoding, root }];
  });
  const [chosen] = usable.toSorted((left, right) =>
    MEDIA_KINDS.indexOf(left.kind) - MEDIA_KINDS.indexOf(right.kind)
  );
  if (!chosen) {
    const found = content.map(([range]) => range).join(", ") || "none";
    return refuse(`Its body has no supported media type: ${found}`, "/body");
  }
  const { type, kind, schema, encoding, root } = chosen;
  const isForm = kind === "form" || kind === "multipart";
  const fields = isForm ? fieldsOf(asObject(encoding), schema, document) : {};
  const bytes = Object.keys(fields).filter((name) => fields[name]!.bytes).join(", ");
  const note = bytes === "" ? "" : `Pass the bytes of ${bytes} as Base64.`;
  const text = { type: "string", ...(kind === "bytes" ? { contentEncoding: "base64" } : root) };
  const given = isOwn || isForm || kind === "json" ? schema ?? {} : text;
  const converted = described(sent.read(given), description, note);
  return { argument: "body", type, required: required === true, schema: converted, fields };
}

/** The media type of a body; for a range, the usual one. Undefined if it is text or bytes and the schema is neither. */
function concrete(range: string, root: JsonObject, isOwn: boolean): string | undefined {
  const isStructure = ["properties", "allOf", "oneOf", "anyOf", "items"].some((keyword) => keyword in root);
  const { type: named = isStructure ? "object" : "string" } = root;
  const isText = named === "string";
  const type = !range.includes("*") ? range : isText ? "application/octet-stream" : "application/json";
  const kind = mediaKind(type);
  const isPlain = isText || (kind === "text" && /^(?:boolean|integer|number)$/.test(`${named}`));
  const isFree = isOwn || !["text", "bytes"].includes(kind);
  return isFree || (isPlain && !/[/+]xml\b|yaml/i.test(type)) ? type : undefined;
}

function fieldsOf(
  encoding: JsonObject,
  schema: unknown,
  document: OpenApiDocument,
): Record<string, BodyField> {
  const members = document.membersOf(schema);
  const types = members.map(([name, member]) => [name, typeOfBytes(member, document, 0)] as const);
  const bytes = new Map(types.filter(([, type]) => type !== undefined));
  const names = new Set([...Object.keys(encoding), ...bytes.keys()]);
  return Object.fromEntries([...names].map((name): [string, BodyField] => {
    const { contentType = bytes.get(name), style, explode } = asObject(own(encoding, name));
    const chosen = (style ?? "form") as Style;
    if (!STYLES.query.includes(chosen)) {
      refuse(`The field ${name} has the style ${chosen}, which forms do not support`);
    }
    const type = typeof contentType === "string" ? contentType.split(",", 1)[0]!.trim() : "*";
    const serialization = { style: chosen, explode: (explode ?? chosen === "form") === true };
    return [name, {
      serialization: (style ?? explode) === undefined ? undefined : serialization,
      type: /[*\r\n]/.test(type) ? undefined : type,
      bytes: bytes.has(name),
    }];
  }));
}

/** The media type of a field that is bytes, a list of bytes, or bytes in all alternatives except null; else undefined. */
function typeOfBytes(field: unknown, document: OpenApiDocument, level: number): string | undefined {
  if (!isObject(field) || level > MAX_LEVELS) return undefined;
  const within = (one: unknown) => typeOfBytes(one, document, level + 1);
  const part = document.object(field, "a field");
  const { type, format, items, allOf, anyOf, oneOf, contentMediaType, contentEncoding } = part;
  if (type === "array") return within(items);
  const isText = type === undefined || [type].flat().includes("string");
  if (isText && contentEncoding === undefined && typeof contentMediaType === "string") {
    const isBytes = mediaKind(contentMediaType) === "bytes" && !/[/+](?:xml|yaml)\b/i.test(contentMediaType);
    return isBytes ? contentMediaType : undefined;
  }
  if (format === "binary") return "application/octet-stream";
  for (const alternatives of [anyOf, oneOf]) {
    const types = asArray(alternatives).filter((one) => asObject(one)["type"] !== "null").map(within);
    if (types.length > 0 && !types.includes(undefined)) return types[0];
  }
  return asArray(allOf).map(within).find((found) => found !== undefined);
}

function readResponse(source: Source): Pick<Operation, "response" | "accept"> {
  const { document, answered, onremark, method, operation: { responses } } = source;
  const good = Object.entries(asObject(responses)).filter(([status]) => /^2(?:\d\d|XX)$/.test(status));
  const media = good.flatMap(([status, response]) =>
    Object.entries(asObject(document.object(response, `the response ${status}`)["content"]))
  );
  const json = media.filter(([type]) => mediaKind(type) === "json");
  const types = new Set((json.length > 0 ? json : media).map(([type]) => type));
  const accept = [...types].join(", ") || "*/*";
  const { schema: written } = asObject(json[0]?.[1]);
  if (method === "HEAD" || written === undefined) return { accept, response: undefined };
  const isOnly = good.length === 1 && media.length === 1;
  const { definitions } = answered;
  const read = (): ResponseShape | undefined => ({ schema: answered.read(written), definitions, isOnly });
  const response = recover(read, ({ reason }) => void onremark(withoutOutput(reason)));
  return { accept, response };
}

/** A remark: the tool has no output schema. */
export function withoutOutput(reason: string): string {
  return `It has no output schema: ${reason}`;
}

function textOf(value: unknown): string | undefined {
  return asString(value)?.trim() || undefined;
}
