/**
 * The questions to a client in every revision: elicitation, sampling and roots. A question is asked only if the client has
 * declared that it can answer it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */

import type { JsonObject } from "../base/json.ts";
import type { Negotiated, Revision } from "../protocol/revisions.ts";
import type {
  Answered,
  ClientRequests,
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
} from "./client_requests.ts";
import { asString, compact, isObject, own } from "../base/json.ts";
import { problemLines } from "../base/text.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { compileSchema } from "../schema/mod.ts";
import { MissingCapabilityError, UnansweredError, UrlElicitationRequiredError } from "./client_requests.ts";

/** A question as it is sent. */
export interface ClientRequest<T = unknown> {
  readonly method: string;
  readonly params?: JsonObject;
  /** What identifies the question in later runs of the handler. @default {its params} */
  readonly identity?: JsonObject;
  /** Whether it is about something that happens elsewhere, so that it may be asked again. */
  readonly isElsewhere?: boolean;
  /** Reads the answer. @throws {UnansweredError} When it is invalid. */
  read(answer: unknown): T;
}

/** The questions by the methods of `ClientRequests`. Each throws a `TypeError` when the handler asks for what cannot be. */
export const QUESTIONS = {
  elicit({ message, schema }: Form, client: Negotiated): ClientRequest<Elicited<unknown>> {
    checkForm(schema);
    requireCapability(client, "elicitation", "form");
    const { revision } = client;
    return {
      method: "elicitation/create",
      params: {
        ...(revision.elicitation === "full" ? { mode: "form" } : {}),
        message,
        requestedSchema: formIn(revision, schema),
      },
      read(answer) {
        const { action, content } = readAction(answer, revision);
        return action === "accept" ? { action, content: readForm(revision, schema, content) } : { action };
      },
    };
  },

  elicitUrl({ message, url, id }: Page, client: Negotiated): ClientRequest<Answered> {
    if (!URL.canParse(url)) throw new TypeError(`Cannot ask to open ${JSON.stringify(url)}: it is not a URL`);
    requireCapability(client, "elicitation", "url");
    const named = client.revision.era === "legacy" ? { elicitationId: id ?? crypto.randomUUID() } : {};
    return {
      method: "elicitation/create",
      params: { mode: "url", message, url, ...named },
      // A generated id differs in every run.
      identity: { message, url, id },
      isElsewhere: true,
      read: (answer) => ({ action: readAction(answer, client.revision).action }),
    };
  },

  sample({ key: _, ...request }: SampleRequest, client: Negotiated): ClientRequest<Sample> {
    const { messages, includeContext, ...rest } = request;
    checkMessages(messages);
    const blocks = messages.flatMap(({ content }) => blocksOf(content));
    const usesTools = blocks.some(({ type }) => type === "tool_use" || type === "tool_result");
    const needsTools = usesTools || rest.tools !== undefined || rest.toolChoice !== undefined;
    const declared = requireCapability(client, "sampling", needsTools ? "tools" : undefined);
    const { revision } = client;
    if (!revision.audio && blocks.some(({ type }) => type === "audio")) {
      throw new UnansweredError("The client's revision of the protocol has no audio");
    }
    // Since 2025-11-25 clients declare support for it.
    const hasContext = includeContext !== undefined && (!revision.samplingTools || "context" in declared);
    return {
      method: "sampling/createMessage",
      params: {
        // Older revisions have one block in a message.
        messages: revision.samplingTools
          ? messages
          : messages.flatMap(({ role, content }) =>
            blocksOf(content).map((block) => ({ role, content: block }))
          ),
        ...rest,
        ...(hasContext ? { includeContext } : {}),
      },
      read(answer) {
        const { role, model, stopReason, ...rest } = readSample(answer, revision);
        const content = blocksOf(rest.content);
        const text = content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
        return { role, content, text, model, stopReason: asString(stopReason) };
      },
    };
  },

  listRoots(_: Keyed, client: Negotiated): ClientRequest<readonly Root[]> {
    requireCapability(client, "roots");
    return {
      method: "roots/list",
      read: (answer) =>
        readRoots(answer, client.revision).roots.map(({ uri, name }) =>
          compact({ uri, name: asString(name) })
        ),
    };
  },
};

/** Sends the user to the URLs that a handler requires. Always throws, at last that the user does not agree. */
export async function openUrls(
  cause: unknown,
  client: Negotiated,
  requests: ClientRequests,
): Promise<never> {
  if (!(cause instanceof UrlElicitationRequiredError)) throw cause;
  const { message, pages } = cause;
  if (client.revision.era === "legacy") {
    const elicitations = pages.map((page) => QUESTIONS.elicitUrl(page, client).params);
    throw new RpcError(McpErrorCode.urlElicitationRequired, message, { elicitations });
  }
  // Agreed to, but not done yet: the user is asked again until it is done or asked too often.
  for (;;) {
    const answers = await Promise.all(pages.map((page) => requests.elicitUrl(page)));
    if (answers.every(({ action }) => action === "accept")) continue;
    throw new UnansweredError(
      `The user did not agree to this: ${pages.map((page) => page.message).join("; ")}`,
    );
  }
}

const SUPPORTS = {
  form: ({ elicitation }: Revision) => elicitation !== "none",
  url: ({ elicitation }: Revision) => elicitation === "full",
  tools: ({ samplingTools }: Revision) => samplingTools,
};

/** What the client declares of a capability. @throws {MissingCapabilityError} When it or its revision lacks it. */
function requireCapability(
  { revision, client }: Negotiated,
  name: "elicitation" | "sampling" | "roots",
  part?: keyof typeof SUPPORTS,
): JsonObject {
  const declared = own(client.capabilities, name);
  if (isObject(declared)) {
    // A client that declares no modes of elicitation supports forms.
    const declares = (part: string) => part in declared || (part === "form" && !("url" in declared));
    if (part === undefined || (declares(part) && SUPPORTS[part](revision))) return declared;
  }
  throw new MissingCapabilityError(name, part, revision);
}

const TEXT = { type: "string" };

function objectOf(properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject {
  return { type: "object", properties, required };
}

const BLOCK = {
  anyOf: Object.entries({
    text: { text: TEXT },
    image: { data: TEXT, mimeType: TEXT },
    audio: { data: TEXT, mimeType: TEXT },
    tool_use: { id: TEXT, name: TEXT, input: { type: ["object", "array"] } },
    tool_result: { toolUseId: TEXT, content: { type: ["object", "array"] } },
  }).map(([type, members]) => objectOf({ type: { const: type }, ...members })),
};

const readAction = answerReader<Elicited<unknown>>(
  'an action: "accept", "decline" or "cancel"',
  objectOf({ action: { enum: ["accept", "decline", "cancel"] } }),
);
const readRoots = answerReader<{ readonly roots: readonly Root[] }>(
  "a list of roots with file: URIs",
  objectOf({ roots: { type: "array", items: objectOf({ uri: { type: "string", pattern: "^file://" } }) } }),
);
const readSample = answerReader<Sample>(
  "a message of its model, with role, content and model",
  objectOf({
    role: { enum: ["user", "assistant"] },
    model: TEXT,
    content: { anyOf: [BLOCK, { type: "array", items: BLOCK }] },
  }),
);

function answerReader<T>(wanted: string, schema: JsonObject): (answer: unknown, revision: Revision) => T {
  const check = compileSchema(schema);
  return (answer, { unusableAnswer }) => {
    if (check(answer).length === 0) return answer as T;
    throw new UnansweredError(
      `The client was asked for ${wanted}, and answered something else`,
      unusableAnswer,
    );
  };
}

/** @throws {TypeError} When tool results stand beside other blocks, or a tool use has no result. */
function checkMessages(messages: readonly SampleMessage[]): void {
  const demand = (isMet: boolean, rule: string) => {
    if (!isMet) throw new TypeError(`Cannot ask a model with these messages: ${rule}`);
  };
  let owed = "";
  const idsOf = (ids: readonly string[]) => ids.toSorted().join("\n");
  for (const { role, content } of [...messages, { role: "user", content: [] } as const]) {
    const blocks = blocksOf(content);
    const results = blocks.flatMap((block) => block.type === "tool_result" ? [block.toolUseId] : []);
    const standAlone = results.length === 0 || (role === "user" && results.length === blocks.length);
    demand(standAlone, "tool results stand alone, in a message of the user");
    demand(
      idsOf(results) === owed,
      "each use of a tool is followed by its result, and each result follows its use",
    );
    owed = idsOf(blocks.flatMap((block) => block.type === "tool_use" ? [block.id] : []));
  }
}

function blocksOf(content: SampleMessage["content"]): readonly SampleContent[] {
  return Array.isArray(content) ? content as readonly SampleContent[] : [content as SampleContent];
}

const TEXTS = { type: "array", minItems: 1, items: TEXT };
const CHOICES = { type: "array", minItems: 1, items: objectOf({ const: TEXT, title: TEXT }) };
const RANGE = { minimum: true, maximum: true };
/** The keywords of a field, by its type, beside those that all fields have. */
const KEYWORDS: Readonly<Record<string, JsonObject>> = {
  string: {
    minLength: true,
    maxLength: true,
    format: { enum: ["email", "uri", "date", "date-time"] },
    enum: TEXTS,
    enumNames: TEXTS,
    oneOf: CHOICES,
  },
  number: RANGE,
  integer: RANGE,
  boolean: {},
  array: {
    items: { anyOf: [objectOf({ type: { const: "string" }, enum: TEXTS }), objectOf({ anyOf: CHOICES })] },
    minItems: true,
    maxItems: true,
  },
};

const checkFormSchema = compileSchema({
  ...objectOf({
    $schema: true,
    type: { const: "object" },
    properties: {
      type: "object",
      additionalProperties: {
        ...objectOf({ type: { enum: Object.keys(KEYWORDS) } }),
        allOf: Object.entries(KEYWORDS).map(([type, keywords]) => ({
          if: objectOf({ type: { const: type } }),
          then: {
            properties: { type: true, title: true, description: true, default: true, ...keywords },
            required: type === "array" ? ["items"] : [],
            additionalProperties: false,
          },
        })),
      },
    },
    required: { type: "array", items: TEXT },
    additionalProperties: true,
  }, ["type", "properties"]),
  additionalProperties: false,
});

function checkForm(schema: FormSchema): void {
  const problems = problemLines(checkFormSchema(schema));
  if (problems.length === 0) {
    const { properties, required = [] } = schema;
    for (const name of required) {
      if (!Object.hasOwn(properties, name)) problems.push(`it requires "${name}", which is not a field`);
    }
    for (const [name, field] of Object.entries(properties)) {
      if (field.type !== "string" || field.enumNames?.length === field.enum?.length) continue;
      if (field.enumNames) {
        problems.push(`the field "${name}" must have as many "enumNames" as it has values in "enum"`);
      }
    }
  }
  if (problems.length > 0) throw new TypeError(`Cannot ask with this form: ${problems.join("; ")}`);
}

function formIn(revision: Revision, { $schema, properties, required }: FormSchema): unknown {
  if (revision.elicitation === "full") return compact({ $schema, type: "object", properties, required });
  const fields = Object.entries(properties).map(([name, field]) => [name, plainField(name, field)]);
  return compact({ type: "object", properties: Object.fromEntries(fields), required });
}

/** The nearest field of a revision that has `enumNames` for titles, and no multiple choice. */
function plainField(name: string, field: FormField): object {
  if (field.type === "boolean") return field;
  const { default: _, ...rest } = field;
  if (rest.type === "string" && rest.oneOf) {
    const { oneOf, ...words } = rest;
    const [values, titles] = [oneOf.map((choice) => choice.const), oneOf.map(({ title }) => title)];
    return { ...words, enum: values, enumNames: titles };
  }
  if (rest.type !== "array") return rest;
  const { title, description, items } = rest;
  const choices = "enum" in items ? items.enum.map((value) => ({ const: value, title: value })) : items.anyOf;
  if (choices.some((choice) => choice.const.includes(","))) {
    throw new UnansweredError(
      `The field "${name}" cannot be asked for in this revision: it is a list, and a value has a comma in it`,
    );
  }
  const list = choices.map(({ const: value, title }) => value === title ? value : `${value} (${title})`);
  const help = `Any of these, separated by commas: ${list.join(", ")}`;
  const helped = description === undefined ? help : `${description}\n${help}`;
  return compact({ type: "string", title, description: helped });
}

/** The submitted values of the fields. @throws {UnansweredError} When they do not fit the form. */
function readForm(
  revision: Revision,
  { properties, required = [] }: FormSchema,
  content: unknown,
): JsonObject {
  const given = content ?? {};
  const filled = isObject(given) ? valuesOf(given, properties) : given;
  const validate = compileSchema({ type: "object", properties, required }, { formats: true });
  const problems = problemLines(validate(filled));
  if (problems.length === 0) return filled as JsonObject;
  throw new UnansweredError(
    `The values do not fit the form: ${problems.join("; ")}`,
    revision.unusableAnswer,
  );
}

/** The values of the known fields. A multiple choice may come as text, from revisions that have none. */
function valuesOf(given: JsonObject, properties: FormSchema["properties"]): JsonObject {
  const values = Object.entries(properties).map(([name, { type }]) => {
    const value = own(given, name);
    const isList = type === "array" && typeof value === "string";
    return [name, isList ? value.split(",").map((part) => part.trim()).filter((part) => part !== "") : value];
  });
  return compact(Object.fromEntries(values));
}
