/**
 * The requests to a client in every revision: elicitation, sampling and roots. A request is made only if the client has
 * declared that it can answer it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */

import type { Schema } from "../schema/mod.ts";
import type { ClientFacts, Revision } from "../protocol/revisions.ts";
import type {
  Answered,
  Elicited,
  Form,
  FormField,
  FormSchema,
  Keyed,
  Page,
  Root,
  Sample,
  SampleContent,
  SampleMessage,
  SampleRequest,
  UrlElicitationRequiredError,
} from "./client_requests.ts";
import { isObject, own } from "../base/json.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { compileSchema } from "../schema/mod.ts";
import { MissingCapabilityError, UnansweredError } from "./client_requests.ts";

type Data = Readonly<Record<string, unknown>>;

/** The client to ask. */
interface Audience {
  readonly revision: Revision;
  readonly client: ClientFacts;
}

/** A request to the client. */
export interface ClientRequest<T> {
  /** The prefix of its key, unless it has one. */
  readonly kind: "elicitation" | "sampling" | "roots";
  /** Its key. */
  readonly key: string | undefined;
  /** "elicitation/create" */
  readonly method: string;
  readonly params: Data | undefined;
  /** What identifies the request in later runs of the handler. @default {its params} */
  readonly identity?: Data;
  /** Whether it is about something that happens elsewhere, so that it may be asked again. */
  readonly isElsewhere?: boolean;
  /**
   * Reads the answer.
   *
   * @throws {UnansweredError} When it is invalid.
   */
  read(answer: unknown): T;
}

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/** A form for the user. */
export function formRequest(
  { key, message, schema }: Form,
  { revision, client }: Audience,
): ClientRequest<Elicited<unknown>> {
  checkForm(schema);
  const declared = own(client.capabilities, "elicitation");
  // A client that declares no modes supports forms.
  const shows = isObject(declared) && ("form" in declared || !("url" in declared));
  if (!shows || revision.elicitation === "none") {
    throw new MissingCapabilityError({ elicitation: { form: {} } }, revision);
  }
  const mode = revision.elicitation === "full" ? { mode: "form" } : {};
  return {
    kind: "elicitation",
    key,
    method: "elicitation/create",
    params: { ...mode, message, requestedSchema: formFor(revision, schema) },
    read(answer) {
      const { action } = readAction(answer, revision);
      if (action !== "accept") return { action };
      return { action, content: readForm(revision, schema, (answer as Data)["content"]) };
    },
  };
}

/** A URL for the user. */
export function urlRequest(
  { key, message, url, id }: Page,
  { revision, client }: Audience,
): ClientRequest<Answered> {
  if (!URL.canParse(url)) throw new TypeError(`Cannot ask to open ${JSON.stringify(url)}: it is not a URL`);
  const declared = own(client.capabilities, "elicitation");
  if (!isObject(declared) || !("url" in declared) || revision.elicitation !== "full") {
    throw new MissingCapabilityError({ elicitation: { url: {} } }, revision);
  }
  const named = revision.era === "legacy" ? { elicitationId: id ?? crypto.randomUUID() } : {};
  return {
    kind: "elicitation",
    key,
    method: "elicitation/create",
    params: { mode: "url", message, url, ...named },
    // A generated id differs in every run.
    identity: { message, url, id },
    isElsewhere: true,
    read: (answer) => readAction(answer, revision),
  };
}

/** The folders of the client. */
export function rootsRequest(
  { key }: Keyed,
  { revision, client }: Audience,
): ClientRequest<readonly Root[]> {
  if (!isObject(own(client.capabilities, "roots"))) throw new MissingCapabilityError({ roots: {} }, revision);
  return {
    kind: "roots",
    key,
    method: "roots/list",
    params: undefined,
    read(answer) {
      const roots = isObject(answer) ? own(answer, "roots") : undefined;
      if (!Array.isArray(roots)) throw invalidAnswer("a list of roots", revision);
      return roots.map((root: unknown) => {
        const [uri, name] = isObject(root) ? [own(root, "uri"), own(root, "name")] : [];
        if (typeof uri !== "string" || !uri.startsWith("file://")) {
          throw invalidAnswer("roots with file: URIs", revision);
        }
        return typeof name === "string" ? { uri, name } : { uri };
      });
    },
  };
}

/** The answer is invalid. */
function invalidAnswer(wanted: string, revision: Revision): UnansweredError {
  return new UnansweredError(
    `The client was asked for ${wanted}, and answered something else`,
    revision.unusableAnswer,
  );
}

function readAction(answer: unknown, revision: Revision): Answered {
  const action = isObject(answer) ? own(answer, "action") : undefined;
  if (!ACTIONS.includes(action)) throw invalidAnswer('an action: "accept", "decline" or "cancel"', revision);
  return { action: action as Answered["action"] };
}

/** The error of 2025-11-25 that sends the user to URLs. */
export function urlElicitationRequired(
  { message, pages }: UrlElicitationRequiredError,
  audience: Audience,
): RpcError {
  return new RpcError(McpErrorCode.urlElicitationRequired, message, {
    elicitations: pages.map((page) => urlRequest(page, audience).params),
  });
}

/** The user does not open a URL that a handler requires. */
export function declined({ pages }: UrlElicitationRequiredError): UnansweredError {
  return new UnansweredError(
    `The user did not agree to this: ${pages.map((page) => page.message).join("; ")}`,
  );
}

/** A completion by the client's model. */
export function sampleRequest(request: SampleRequest, { revision, client }: Audience): ClientRequest<Sample> {
  const { key, messages, includeContext, ...rest } = request;
  checkMessages(messages);
  const declared = own(client.capabilities, "sampling");
  if (!isObject(declared)) throw new MissingCapabilityError({ sampling: {} }, revision);
  const usesTools = rest.tools !== undefined || rest.toolChoice !== undefined || messages.some(hasTools);
  if (usesTools && !("tools" in declared && revision.samplingTools)) {
    throw new MissingCapabilityError({ sampling: { tools: {} } }, revision);
  }
  // Since 2025-11-25 clients declare support for it.
  const hasContext = includeContext !== undefined && (!revision.samplingTools || "context" in declared);
  return {
    kind: "sampling",
    key,
    method: "sampling/createMessage",
    params: {
      messages: messages.flatMap((message) => messagesIn(revision, message)),
      ...rest,
      ...(hasContext ? { includeContext } : {}),
    },
    read: (answer) => readSample(answer, revision),
  };
}

/** A message in a revision: those without several blocks get one message for each. */
function messagesIn(revision: Revision, { role, content }: SampleMessage): readonly SampleMessage[] {
  const blocks = blocksOf(content);
  if (!revision.audio && blocks.some(({ type }) => type === "audio")) {
    throw new UnansweredError("The client's revision of the protocol has no audio");
  }
  if (revision.samplingTools) return [{ role, content }];
  return blocks.map((block) => ({ role, content: block }));
}

/** @throws {TypeError} When tool results stand beside other blocks, or a tool use has no result. */
function checkMessages(messages: readonly SampleMessage[]): void {
  let owed: readonly string[] = [];
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const results = blocks.flatMap((block) => block.type === "tool_result" ? [block.toolUseId] : []);
    if (results.length > 0 && (role !== "user" || results.length < blocks.length)) {
      throw invalidMessages("tool results stand alone, in a message of the user");
    }
    if (results.toSorted().join("\n") !== owed.toSorted().join("\n")) {
      throw invalidMessages("each use of a tool is followed by its result, and each result follows its use");
    }
    owed = blocks.flatMap((block) => block.type === "tool_use" ? [block.id] : []);
  }
  if (owed.length > 0) throw invalidMessages("each use of a tool is followed by its result");
}

function invalidMessages(reason: string): TypeError {
  return new TypeError(`Cannot ask a model with these messages: ${reason}`);
}

function hasTools({ content }: SampleMessage): boolean {
  return blocksOf(content).some(({ type }) => type === "tool_use" || type === "tool_result");
}

function blocksOf(content: SampleMessage["content"]): readonly SampleContent[] {
  return Array.isArray(content) ? content as readonly SampleContent[] : [content as SampleContent];
}

function readSample(answer: unknown, revision: Revision): Sample {
  const given = isObject(answer) ? answer : {};
  const [role, model, stopReason] = [own(given, "role"), own(given, "model"), own(given, "stopReason")];
  const content = blocksOf(own(given, "content") as SampleContent);
  const isSample = (role === "user" || role === "assistant") && typeof model === "string" &&
    content.every(isBlock);
  if (!isSample) throw invalidAnswer("a message of its model, with role, content and model", revision);
  return {
    role,
    content,
    text: content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n"),
    model,
    stopReason: typeof stopReason === "string" ? stopReason : undefined,
  };
}

/** The required members of each type of block, and their types. */
const BLOCKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  text: { text: "string" },
  image: { data: "string", mimeType: "string" },
  audio: { data: "string", mimeType: "string" },
  tool_use: { id: "string", name: "string", input: "object" },
  tool_result: { toolUseId: "string", content: "object" },
};

function isBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const type = own(block, "type");
  const members = typeof type === "string" && Object.hasOwn(BLOCKS, type) ? BLOCKS[type]! : undefined;
  return members !== undefined &&
    Object.entries(members).every(([name, type]) => typeof block[name] === type && block[name] !== null);
}

const COMMON = ["type", "title", "description", "default"];
/** The keywords of a field, by its type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: [...COMMON, "minLength", "maxLength", "format", "enum", "enumNames", "oneOf"],
  number: [...COMMON, "minimum", "maximum"],
  integer: [...COMMON, "minimum", "maximum"],
  boolean: COMMON,
  array: [...COMMON, "items", "minItems", "maxItems"],
};
const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];

/** @throws {TypeError} When clients cannot show the form. */
export function checkForm(schema: FormSchema): void {
  const given: unknown = schema;
  if (!isObject(given) || given["type"] !== "object" || !isObject(given["properties"])) {
    throw invalidForm('it must have "type": "object" and properties');
  }
  for (const keyword of Object.keys(given)) {
    if (!["$schema", "type", "properties", "required", "additionalProperties"].includes(keyword)) {
      throw invalidForm(`it has "${keyword}": a form is flat, with type, properties and required`);
    }
  }
  const properties = given["properties"];
  for (const [name, field] of Object.entries(properties)) {
    const problem = fieldProblem(field);
    if (problem) throw invalidForm(`the field "${name}" ${problem}`);
  }
  for (const name of (given["required"] ?? []) as readonly string[]) {
    if (!Object.hasOwn(properties, name)) throw invalidForm(`it requires "${name}", which is not a field`);
  }
}

function fieldProblem(field: unknown): string | undefined {
  if (!isObject(field)) return "must be an object";
  const { type } = field;
  const known = typeof type === "string" ? own(KEYWORDS, type) as readonly string[] | undefined : undefined;
  if (!known) {
    return `is of the type ${
      JSON.stringify(field["type"])
    }: there are string, number, integer, boolean, and array for choices`;
  }
  const unknown = Object.keys(field).find((keyword) => !known.includes(keyword));
  if (unknown) return `has "${unknown}", which clients do not know: there are ${known.join(", ")}`;
  const { format, items, oneOf, enum: values, enumNames } = field;
  if (format !== undefined && !FORMATS.includes(format)) {
    return `has the format ${JSON.stringify(format)}: there are ${FORMATS.join(", ")}`;
  }
  if (type === "array" && !isChoiceOf(items)) {
    return 'must have items with an "enum" of strings, or an "anyOf" of choices with "const" and "title"';
  }
  if (values !== undefined && !areStrings(values)) return 'must have an "enum" of strings';
  if (oneOf !== undefined && !areChoices(oneOf)) {
    return 'must have a "oneOf" of choices with "const" and "title"';
  }
  if (
    enumNames !== undefined && !(areStrings(enumNames) && enumNames.length === (values as string[])?.length)
  ) {
    return 'must have as many "enumNames" as it has values in "enum"';
  }
  return undefined;
}

function isChoiceOf(items: unknown): boolean {
  return isObject(items) &&
    (items["type"] === "string" ? areStrings(items["enum"]) : areChoices(items["anyOf"]));
}

function areStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((member) => typeof member === "string");
}

function areChoices(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 &&
    value.every((choice) =>
      isObject(choice) && typeof choice["const"] === "string" && typeof choice["title"] === "string"
    );
}

function invalidForm(reason: string): TypeError {
  return new TypeError(`Cannot ask with this form: ${reason}`);
}

/** A form in a revision. */
export function formFor(revision: Revision, schema: FormSchema): unknown {
  const fields = Object.entries(schema.properties);
  const properties = revision.elicitation === "full"
    ? schema.properties
    : Object.fromEntries(fields.map(([name, field]) => [name, plainField(name, field)]));
  return {
    ...(schema.$schema === undefined || revision.elicitation !== "full" ? {} : { $schema: schema.$schema }),
    type: "object",
    properties,
    ...(schema.required === undefined ? {} : { required: schema.required }),
  };
}

/** The nearest field of a revision that has `enumNames` for titles, and no multiple choice. */
function plainField(name: string, field: FormField): object {
  if (field.type === "boolean") return field;
  const { default: _, ...rest } = field as FormField & { default?: unknown };
  if ("oneOf" in rest) {
    const { oneOf, ...words } = rest;
    return {
      ...words,
      enum: oneOf.map((choice) => choice.const),
      enumNames: oneOf.map(({ title }) => title),
    };
  }
  if (rest.type !== "array") return rest;
  const { title, description, items } = rest;
  const choices = "enum" in items ? items.enum.map((value) => [value, value]) : items.anyOf.map((choice) => [
    choice.const,
    choice.title,
  ]);
  if (choices.some(([value]) => value!.includes(","))) {
    throw new UnansweredError(
      `The field "${name}" cannot be asked for in this revision: it is a list, and a value has a comma in it`,
    );
  }
  const list = choices.map(([value, title]) => value === title ? value : `${value} (${title})`).join(", ");
  return {
    type: "string",
    ...(title === undefined ? {} : { title }),
    description: `${
      description === undefined ? "" : `${description}\n`
    }Any of these, separated by commas: ${list}`,
  };
}

/** The submitted values of the fields. @throws {UnansweredError} When they do not fit the form. */
export function readForm(revision: Revision, schema: FormSchema, content: unknown): Data {
  const given = content ?? {};
  if (!isObject(given)) throw invalidValues(["it must be an object"], revision);
  const filled: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = own(given, name);
    if (value !== undefined) filled[name] = field.type === "array" ? listOf(value) : value;
  }
  const { properties, required = [] } = schema;
  const validate = compileSchema({ type: "object", properties, required } as Schema, { formats: true });
  const problems = validate(filled).map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
  if (problems.length > 0) throw invalidValues(problems, revision);
  return filled;
}

/** A multiple choice that came as text because the revision has none. */
function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

function invalidValues(problems: readonly string[], revision: Revision): UnansweredError {
  return new UnansweredError(
    `The values do not fit the form: ${problems.join("; ")}`,
    revision.unusableAnswer,
  );
}
