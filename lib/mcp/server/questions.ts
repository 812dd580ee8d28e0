/** The requests that ask the client: what is sent in each revision, and how the answers are read. */

import type { JsonObject } from "../../base/json.ts";
import type { Negotiated, Revision } from "../protocol/revisions.ts";
import type { Root } from "../protocol/types.ts";
import type {
  ClientRequests,
  Elicited,
  Form,
  FormField,
  FormSchema,
  Keyed,
  Sample,
  SampleContent,
  SampleMessage,
  SampleRequest,
  UrlElicitation,
} from "./client_requests.ts";
import { asObject, asString, compact, isObject, own } from "../../base/json.ts";
import { problemLines } from "../../base/text.ts";
import { RpcError } from "../../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { compileSchema } from "../../formats/schema/mod.ts";
import { MissingCapabilityError, UnansweredError, UrlElicitationRequiredError } from "./client_errors.ts";
import { checkType } from "./shapes.ts";

/** A question as it is sent. */
export interface Question {
  readonly method: string;
  readonly params?: JsonObject;
  /** What identifies the question in later runs of the handler. @default {its params} */
  readonly identity?: JsonObject;
  /** Whether later runs may leave it out. By then, the handler may know that the user is done at the URL. */
  readonly mayBeOmitted?: boolean;
  /** Reads the answer. @throws {UnansweredError} When it is invalid. */
  read(answer: unknown): unknown;
}

/** The questions by the methods of `ClientRequests`. Each throws a `TypeError` when the question is malformed. */
export const QUESTIONS = {
  elicit({ message, schema }: Form, client: Negotiated): Question {
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
        const { action, content } = readElicited(answer, revision);
        return action === "accept" ? { action, content: readForm(revision, schema, content) } : { action };
      },
    };
  },

  elicitUrl({ message, url, id }: UrlElicitation, client: Negotiated): Question {
    if (!URL.canParse(url)) throw new TypeError(`Cannot ask to open ${JSON.stringify(url)}: it is not a URL`);
    requireCapability(client, "elicitation", "url");
    const idMember = client.revision.era === "legacy" ? { elicitationId: id ?? crypto.randomUUID() } : {};
    return {
      method: "elicitation/create",
      params: { mode: "url", message, url, ...idMember },
      // A generated id differs in every run.
      identity: { message, url, id },
      mayBeOmitted: true,
      read: (answer) => ({ action: readElicited(answer, client.revision).action }),
    };
  },

  sample({ key: _, messages, includeContext, ...rest }: SampleRequest, client: Negotiated): Question {
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
        const given = { ...asObject(answer), content: blocksOf(asObject(answer)["content"] as never) };
        const wanted = "a message of its model, with role, content and model";
        const message: Sample = readAnswer(given, "model answer", wanted, revision);
        const { role, model, content } = message;
        const text = content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
        return { role, content, text, model, stopReason: asString(message.stopReason) };
      },
    };
  },

  listRoots(_: Keyed, client: Negotiated): Question {
    requireCapability(client, "roots");
    return {
      method: "roots/list",
      read(answer) {
        const wanted = "a list of roots with file: URIs";
        const { roots }: { roots: Root[] } = readAnswer(answer, "roots answer", wanted, client.revision);
        return roots.map(({ uri, name }) => compact({ uri, name: asString(name) }));
      },
    };
  },
};

/**
 * Handles the error of a handler that requires the user to open URLs; other errors are thrown again. A legacy client gets the URLs
 * in an error. A modern client is asked.
 *
 * @throws {UnansweredError} When the user did not agree.
 */
export async function openUrls(cause: unknown, client: Negotiated, requests: ClientRequests): Promise<never> {
  if (!(cause instanceof UrlElicitationRequiredError)) throw cause;
  const { message, elicitations } = cause;
  if (client.revision.era === "legacy") {
    const params = elicitations.map((one) => QUESTIONS.elicitUrl(one, client).params);
    throw new RpcError(McpErrorCode.urlElicitationRequired, message, { elicitations: params });
  }
  // Asking ends this run. In the next run, these questions have answers. If the handler throws again although the user agreed, the
  // user is not done, and is asked once more. After too many runs, asking throws.
  let isAgreed: boolean;
  do {
    const answers = await Promise.all(elicitations.map(requests.elicitUrl));
    isAgreed = answers.every(({ action }) => action === "accept");
  } while (isAgreed);
  throw new UnansweredError(
    `The user did not agree to this: ${elicitations.map((one) => one.message).join("; ")}`,
  );
}

/** Whether a revision has a part of a capability. */
const SUPPORTS = {
  form: ({ elicitation }: Revision) => elicitation !== "none",
  url: ({ elicitation }: Revision) => elicitation === "full",
  tools: ({ samplingTools }: Revision) => samplingTools,
};

/** The settings of a capability of the client. @throws {MissingCapabilityError} When the client or its revision lacks it. */
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

/** The answer of a client, if it is of a type of `shapes.ts`. @throws {UnansweredError} When it is not. */
function readAnswer<T>(answer: unknown, type: string, wanted: string, { unusableAnswer }: Revision): T {
  checkType(answer, type, "", () => {
    const message = `The client was asked for ${wanted}, and answered something else`;
    throw new UnansweredError(message, unusableAnswer);
  }, []);
  return answer as T;
}

function readElicited(answer: unknown, revision: Revision): Elicited<unknown> {
  return readAnswer(answer, "form answer", 'an action: "accept", "decline" or "cancel"', revision);
}

/** @throws {TypeError} When a message has tool results and other blocks, or a tool use has no result. */
function checkMessages(messages: readonly SampleMessage[]): void {
  const demand = (isMet: boolean, rule: string) => {
    if (!isMet) throw new TypeError(`Cannot ask a model with these messages: ${rule}`);
  };
  /** The ids of the uses of tools in the message before. */
  let used = "";
  const idsOf = (ids: readonly string[]) => ids.toSorted().join("\n");
  for (const { role, content } of [...messages, { role: "user", content: [] } as const]) {
    const blocks = blocksOf(content);
    const results = blocks.flatMap((block) => block.type === "tool_result" ? [block.toolUseId] : []);
    const areAlone = results.length === 0 || (role === "user" && results.length === blocks.length);
    demand(areAlone, "tool results are alone in a message of the user");
    demand(
      idsOf(results) === used,
      "each use of a tool is followed by its result, and each result follows its use",
    );
    used = idsOf(blocks.flatMap((block) => block.type === "tool_use" ? [block.id] : []));
  }
}

function blocksOf(content: SampleMessage["content"]): readonly SampleContent[] {
  return Array.isArray(content) ? content as readonly SampleContent[] : [content as SampleContent];
}

/** @throws {TypeError} When a client could not show the form. */
function checkForm(schema: FormSchema): void {
  const fail = (fault: string): never => {
    throw new TypeError(`Cannot ask with this form: ${fault}`);
  };
  checkType(schema, "form", "schema", fail);
  const { properties, required = [] } = schema;
  const unknown = required.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) fail(`it requires "${unknown}", which is not a field`);
  for (const [name, field] of Object.entries(properties)) {
    if (field.type === "string" && field.enumNames && field.enumNames.length !== field.enum?.length) {
      fail(`the field "${name}" must have as many "enumNames" as it has values in "enum"`);
    }
  }
}

function formIn(revision: Revision, { $schema, properties, required }: FormSchema): unknown {
  if (revision.elicitation === "full") return compact({ $schema, type: "object", properties, required });
  const fields = Object.entries(properties).map(([name, field]) => [name, plainField(name, field)]);
  return compact({ type: "object", properties: Object.fromEntries(fields), required });
}

/** The nearest field in a revision that has `enumNames` for titles, but no multiple choice. */
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

/** The values of the known fields. In revisions without multiple choice, its values are one text. */
function valuesOf(given: JsonObject, properties: FormSchema["properties"]): JsonObject {
  const values = Object.entries(properties).map(([name, { type }]) => {
    const value = own(given, name);
    const isList = type === "array" && typeof value === "string";
    return [name, isList ? value.split(",").map((part) => part.trim()).filter((part) => part !== "") : value];
  });
  return compact(Object.fromEntries(values));
}
