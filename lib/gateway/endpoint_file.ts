/** What does an endpoint file say? Operations of a REST API, written by hand: checked as a whole, and then frozen. */

import type { Schema } from "../schema/mod.ts";
import type { Scheme } from "./credential.ts";
import type { Body, Endpoint, Parameter, Place, Serialization, Style } from "./endpoint.ts";
import { compileSchema } from "../schema/mod.ts";
import { freeze } from "../base/json.ts";
import { kindOf } from "./body.ts";
import { ARGUMENT, CONFIRMATION, NAME, SAFE_METHODS, STYLES, usual } from "./endpoint.ts";
import { checkDefinitions, checkSchema, checkTool } from "./endpoint_file_schemas.ts";
import { FILE_SCHEMA } from "./endpoint_schema.ts";
import { GatewayError } from "./gateway_error.ts";
import { namesOf, parsePath } from "./path_template.ts";
import { isOwnHeader } from "./request.ts";
import { usedBy } from "./used_definitions.ts";

/** What was read, whatever it was read from. */
export interface Description {
  /** The address that it names, if it names one. */
  readonly base: string | undefined;
  /** Whether the address was written by whoever runs this, and not by whoever runs the API. */
  readonly isOwnBase: boolean;
  /** The credentials that it speaks of, by name. */
  readonly schemes: { readonly [name: string]: Scheme };
  /** What can be served. */
  readonly endpoints: readonly Endpoint[];
  /** What cannot be served, and why. */
  readonly skipped: readonly Skipped[];
  /** What is served, but not quite as it is described. */
  readonly remarks: readonly Skipped[];
}

/** An operation that is not served. */
export interface Skipped {
  /** `GET /users/{id}`. */
  readonly operation: string;
  /** One sentence without its full stop. */
  readonly reason: string;
}

/** An endpoint as it is written; the schema of the file says the same. */
interface WrittenEndpoint {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly method: string;
  readonly path: string;
  readonly tags?: readonly string[];
  readonly safe?: boolean;
  readonly allow?: boolean;
  readonly auth?: readonly string[];
  readonly parameters?: readonly WrittenParameter[];
  readonly body?: { type?: string; required?: boolean; description?: string; schema: Schema };
  readonly response?: Schema;
  readonly timeoutMs?: number;
}

interface WrittenParameter {
  readonly name: string;
  readonly argument?: string;
  readonly in: Place;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly style?: Style;
  readonly explode?: boolean;
}

interface WrittenFile {
  readonly base?: string;
  readonly auth?: { readonly [name: string]: Scheme };
  readonly definitions?: { readonly [name: string]: Schema };
  readonly endpoints: readonly WrittenEndpoint[];
}

/**
 * Reads an endpoint file that was parsed already.
 *
 * @throws {GatewayError} Naming the first place at which something is wrong.
 */
export function readEndpoints(file: unknown): Description {
  const [issue] = compileSchema(FILE_SCHEMA)(file);
  if (issue) throw new GatewayError(issue.message.replace(/\.$/, ""), issue.path);
  const { base, auth = {}, definitions = {}, endpoints } = structuredClone(file) as WrittenFile;
  checkDefinitions(definitions);
  const read = endpoints.map((endpoint, index) => {
    const at = `/endpoints/${index}`;
    const twice = endpoints.findIndex(({ name }) => name === endpoint.name);
    if (twice < index) {
      throw new GatewayError(`"${endpoint.name}" is the name of /endpoints/${twice} already`, `${at}/name`);
    }
    const one = readEndpoint(endpoint, definitions, auth, at);
    checkTool(one, at);
    return one;
  });
  return freeze({ base, isOwnBase: true, schemes: auth, endpoints: read, skipped: [], remarks: [] });
}

function readEndpoint(
  endpoint: WrittenEndpoint,
  definitions: Readonly<Record<string, Schema>>,
  auth: Readonly<Record<string, unknown>>,
  at: string,
): Endpoint {
  const { name, title, description, method, path, tags = [], safe = false, allow = false, timeoutMs } =
    endpoint;
  if (!NAME.test(name)) {
    throw new GatewayError("A name has 1 to 48 letters, digits, underscores and dashes", `${at}/name`);
  }
  const credentials = endpoint.auth ?? Object.keys(auth);
  credentials.forEach((one, index) => {
    if (!Object.hasOwn(auth, one)) {
      throw new GatewayError(`There is no "${one}" in /auth`, `${at}/auth/${index}`);
    }
  });
  if (safe && method !== "POST" && !SAFE_METHODS.has(method)) {
    throw new GatewayError(
      `${method} always changes something; only POST can be marked as safe`,
      `${at}/safe`,
    );
  }
  const parameters = (endpoint.parameters ?? []).map((parameter, index) =>
    readParameter(parameter, definitions, `${at}/parameters/${index}`)
  );
  requireOnce(parameters, at);
  requirePath(path, parameters, at);
  const body = endpoint.body && readBody(endpoint.body, method, definitions, at);
  requireUnique([...parameters.map(({ argument }) => argument), ...(body ? [body.argument] : [])], at);
  if (endpoint.response !== undefined) {
    checkSchema(endpoint.response, definitions, `${at}/response`, "root");
  }
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    method,
    path,
    tags,
    isSafe: safe || SAFE_METHODS.has(method),
    isAllowed: allow,
    parameters,
    body,
    definitions: usedBy(
      [...parameters.map(({ schema }) => schema), ...(body ? [body.schema] : [])],
      definitions,
    ),
    response: endpoint.response === undefined ? undefined : {
      schema: endpoint.response,
      definitions: usedBy([endpoint.response], definitions),
      isOnly: true,
    },
    accept: endpoint.response === undefined ? "*/*" : "application/json",
    credentials,
    timeoutMs,
  };
}

function readParameter(
  written: WrittenParameter,
  definitions: Readonly<Record<string, Schema>>,
  at: string,
): Parameter {
  const { name, in: place, description, schema = { type: "string" } } = written;
  const argument = written.argument ?? name;
  if (!ARGUMENT.test(argument) || argument === CONFIRMATION) {
    throw new GatewayError(
      `"${argument}" cannot be the name of an argument; give another one as "argument"`,
      `${at}/${written.argument === undefined ? "name" : "argument"}`,
    );
  }
  if (place === "header" && (isOwnHeader(name) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))) {
    throw new GatewayError(`No argument may be the header "${name}"`, `${at}/name`);
  }
  if (place === "cookie" && !/^[\w.-]+$/.test(name)) {
    throw new GatewayError(`"${name}" is no name of a cookie`, `${at}/name`);
  }
  if (place === "path" && written.required === false) {
    throw new GatewayError("A part of the path is always required", `${at}/required`);
  }
  const { style, explode } = serialization(written, place, at);
  checkSchema(schema, definitions, `${at}/schema`);
  return {
    name,
    argument,
    in: place,
    required: place === "path" || written.required === true,
    ...(description === undefined ? {} : { description }),
    schema,
    style,
    explode,
  };
}

function serialization(written: WrittenParameter, place: Place, at: string): Serialization {
  const { style = usual(place).style } = written;
  if (!STYLES[place].includes(style)) {
    throw new GatewayError(`In a ${place} there are the styles ${STYLES[place].join(", ")}`, `${at}/style`);
  }
  return { style, explode: written.explode ?? (style === "form" || style === "deepObject") };
}

function requirePath(path: string, parameters: readonly Parameter[], at: string): void {
  let names: string[];
  try {
    names = namesOf(parsePath(path));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new GatewayError(`The path ${cause.message}`, `${at}/path`);
  }
  const described = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const missing = names.find((name) => !described.includes(name));
  if (missing !== undefined) throw new GatewayError(`There is no path parameter "${missing}"`, `${at}/path`);
  const index = parameters.findIndex((parameter) =>
    parameter.in === "path" && !names.includes(parameter.name)
  );
  if (index >= 0) {
    throw new GatewayError(
      `There is no {${parameters[index]!.name}} in the path`,
      `${at}/parameters/${index}/name`,
    );
  }
}

/** Of two parameters with one name in one place, an API would read one, or take both for a list. */
function requireOnce(parameters: readonly Parameter[], at: string): void {
  const keys = parameters.map(({ in: place, name }) =>
    `${place} ${place === "header" ? name.toLowerCase() : name}`
  );
  const index = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (index < 0) return;
  const { in: place, name } = parameters[index]!;
  throw new GatewayError(
    `There is a ${place} parameter "${name}" already, at ${at}/parameters/${keys.indexOf(keys[index]!)}`,
    `${at}/parameters/${index}/name`,
  );
}

function requireUnique(names: readonly string[], at: string): void {
  const index = names.findIndex((name, index) => names.indexOf(name) < index);
  if (index < 0) return;
  const name = names[index]!;
  const place = name === "body" ? names.indexOf(name) : index;
  throw new GatewayError(
    `"${name}" is an argument already; give another name as "argument"`,
    `${at}/parameters/${place}`,
  );
}

function readBody(
  { type = "application/json", required = true, description, schema }: NonNullable<WrittenEndpoint["body"]>,
  method: string,
  definitions: Readonly<Record<string, Schema>>,
  at: string,
): Body {
  if (method === "GET" || method === "HEAD") throw new GatewayError(`${method} has no body`, `${at}/body`);
  checkSchema(schema, definitions, `${at}/body/schema`);
  return {
    argument: "body",
    type,
    kind: kindOf(type),
    required,
    ...(description === undefined ? {} : { description }),
    schema,
    fields: {},
  };
}
