/** What does an operation take beside its body? Parameters that cannot be sent are left out, or keep the operation out. */

import type { Parameter, Place, Serialization, Style } from "./endpoint.ts";
import type { OpenApiDocument, Part } from "./openapi_document.ts";
import type { SchemaReader } from "./openapi_schema.ts";
import { isObject } from "../base/json.ts";
import { ARGUMENT, CONFIRMATION, STYLES, usual } from "./endpoint.ts";
import { UnservableError } from "./gateway_error.ts";
import { closed } from "./openapi_closed.ts";
import { namesOf, parsePath } from "./path_template.ts";
import { isOwnHeader } from "./request.ts";

/** Headers that are described elsewhere; as parameters they mean nothing. */
const ELSEWHERE = new Set(["accept", "content-type", "authorization"]);

/**
 * Reads the parameters of an operation.
 *
 * @param parts What may have parameters, the path first: the operation's own stand in place of those of the path.
 * @throws {UnservableError} When one is required and cannot be sent.
 */
export function readParameters(
  document: OpenApiDocument,
  reader: SchemaReader,
  path: string,
  parts: readonly Part[],
  hasBody: boolean,
  remark: (reason: string) => void,
): Parameter[] {
  const written = new Map<string, Part>();
  for (const { parameters } of parts) {
    for (const one of Array.isArray(parameters) ? parameters : []) {
      const part = document.object(one, "a parameter");
      written.set(`${part["in"]} ${part["name"]}`, part);
    }
  }
  const inPath = namesOf(parsePath(path));
  const taken = new Set([CONFIRMATION, ...(hasBody ? ["body"] : [])]);
  const read: Parameter[] = [];
  for (const part of written.values()) {
    try {
      const parameter = readParameter(part, reader, inPath, taken);
      if (parameter) read.push(parameter);
    } catch (cause) {
      if (!(cause instanceof UnservableError)) throw cause;
      if (part["required"] === true || part["in"] === "path") throw cause;
      remark(cause.message);
    }
  }
  const missing = inPath.find((name) => !written.has(`path ${name}`));
  if (missing !== undefined) throw new UnservableError(`There is no parameter for {${missing}} of the path`);
  return read;
}

function readParameter(
  part: Part,
  reader: SchemaReader,
  inPath: readonly string[],
  taken: Set<string>,
): Parameter | undefined {
  const { name, in: place, description, required } = part;
  if (typeof name !== "string" || name === "") throw new UnservableError("A parameter has no name");
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") {
    throw new UnservableError(`The parameter ${name} is in ${JSON.stringify(place)}, which is no place`);
  }
  if (place === "header" && ELSEWHERE.has(name.toLowerCase())) return undefined;
  requireSendable(name, place);
  if (place === "path" && !inPath.includes(name)) return undefined;
  const media = contentOf(part, name);
  const serialization = media ? { ...usual(place), json: true } : serializationOf(part, name, place);
  const schema = closed(reader.read((media ?? part)["schema"] ?? {}), reader);
  const argument = argumentOf(name, place, taken);
  taken.add(argument);
  const said = typeof description === "string" && description !== "" ? description : undefined;
  const words = argument === name ? said : `${said === undefined ? "" : `${said} `}(sent as ${name})`;
  return {
    name,
    argument,
    in: place,
    required: place === "path" || required === true,
    ...(words === undefined ? {} : { description: words }),
    schema,
    ...serialization,
    ...(place === "query" && part["allowEmptyValue"] !== true ? { refusesEmpty: true } : {}),
  };
}

function requireSendable(name: string, place: Place): void {
  if (place === "header" && (isOwnHeader(name) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))) {
    throw new UnservableError(`No argument may be the header ${name}`);
  }
  if (place === "cookie" && !/^[\w.-]+$/.test(name)) {
    throw new UnservableError(`${name} is no name of a cookie`);
  }
}

/** The media type of a parameter that has one: only JSON is written into a parameter. */
function contentOf({ content }: Part, name: string): Part | undefined {
  if (content === undefined) return undefined;
  const [[type, media] = []] = isObject(content) ? Object.entries(content) : [];
  if (type !== undefined && /^application\/json\b/i.test(type) && isObject(media)) return media;
  throw new UnservableError(`The parameter ${name} is written as ${type}`);
}

function serializationOf(part: Part, name: string, place: Place): Serialization {
  const style = (part["style"] ?? usual(place).style) as Style;
  if (!STYLES[place].includes(style)) {
    throw new UnservableError(`The parameter ${name} has the style ${style}, which no ${place} has`);
  }
  const explode = part["explode"] ?? style === "form";
  if (explode === true && (style === "spaceDelimited" || style === "pipeDelimited")) {
    throw new UnservableError(`The parameter ${name} is ${style} and exploded, which means nothing`);
  }
  return {
    style,
    explode: explode === true,
    ...(part["allowReserved"] === true ? { allowReserved: true } : {}),
  };
}

/** What the tool calls a parameter: its own name where every model may write it and nothing else has it. */
function argumentOf(name: string, place: Place, taken: ReadonlySet<string>): string {
  const plain = ARGUMENT.test(name)
    ? name
    : name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 50) || "value";
  const [first, ...others] = [plain, `${place}_${plain}`.slice(0, 60)];
  const free = [first!, ...others].find((one) => ARGUMENT.test(one) && !taken.has(one));
  if (free !== undefined) return free;
  for (let number = 2;; number++) if (!taken.has(`${plain}_${number}`)) return `${plain}_${number}`;
}
