/** Reads the parameters of an operation. */

import type { JsonObject } from "../base/json.ts";
import type { Parameter, Place, Style } from "./endpoint.ts";
import type { SchemaReader } from "./openapi_schemas.ts";
import type { Source } from "./operation_source.ts";
import { asArray, asObject } from "../base/json.ts";
import { FIELD_NAME } from "../mcp/protocol/headers.ts";
import { ARGUMENT, BODY_TYPE, CONFIRMATION, PART } from "./endpoint.ts";
import { recover, refuse } from "./errors.ts";
import { parameterOf } from "./openapi_3_2.ts";
import { described } from "./operation_source.ts";
import { parsePath } from "./path_template.ts";
import { isReservedHeader } from "./reserved_headers.ts";
import { STYLES } from "./serialize.ts";

/** Headers that OpenAPI describes in other places, and ignores as parameters. */
const ELSEWHERE = ["accept", "content-type", "authorization"];

/** The parameters of an operation and its path. The names of the arguments for its bodies are taken. */
export function readParameters(source: Source, bodies: number): Parameter[] {
  const { document, sent, isOwn, onremark, path, item, operation } = source;
  const { names: inPath, fixed, shown } = parsePath(path);
  const all = [item, operation].flatMap(({ parameters }) => asArray(parameters))
    .map((part) => parameterOf(document.object(part, "a parameter"), onremark));
  const written = new Map(all.map((part) => [`${part["in"]} ${part["name"]}`, part]));
  const read: Parameter[] = [];
  const taken = new Set([CONFIRMATION, PART, ...["body", BODY_TYPE].slice(0, bodies)]);
  for (const [index, part] of [...written.values()].entries()) {
    const { name, in: place, required } = part;
    const isElsewhere = place === "header"
      ? ELSEWHERE.includes(String(name).toLowerCase())
      : place === "path"
      ? !inPath.includes(String(name))
      : place === "query" && fixed.some((one) => one.name === name);
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
  const missing = inPath.find((name) => !written.has(`path ${name}`)) ??
    shown.find((name) => !written.has(`query ${name}`));
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
