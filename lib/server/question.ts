/**
 * How is a question put to a client, and what is its answer? Each kind of question in the words of each revision, and never
 * one that the client has not said it can answer.
 */

import type { Answered, Elicited, Form, Keyed, Page, Root } from "./asking.ts";
import type { ClientFacts } from "./context.ts";
import type { Revision } from "../protocol/revisions.ts";
import { checkForm, formFor, readForm } from "./form.ts";
import { isObject, own } from "../base/json.ts";
import { MissingCapabilityError, UnansweredError } from "./unanswered.ts";

type Data = Readonly<Record<string, unknown>>;

/** Whom is asked, and in which words. */
export interface Audience {
  readonly revision: Revision;
  readonly client: ClientFacts;
}

/** A question that can be put. */
export interface Question<T> {
  /** What it is called where its author has no name for it. */
  readonly kind: "elicitation" | "sampling" | "roots";
  /** Its author's name for it. */
  readonly key: string | undefined;
  /** "elicitation/create" */
  readonly method: string;
  readonly params: Data | undefined;
  /** Whether it is about something that happens elsewhere, so that its answer may come to be of no use. */
  readonly isElsewhere?: boolean;
  /**
   * Reads what was answered.
   *
   * @throws {UnansweredError} When it is no answer to this.
   */
  read(answer: unknown): T;
}

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/** Asks for a form. */
export function formQuestion(
  { key, message, schema }: Form,
  { revision, client }: Audience,
): Question<Elicited<unknown>> {
  checkForm(schema);
  const declared = own(client.capabilities, "elicitation");
  // A client that says nothing of modes can show forms.
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

/** Asks to open a page. */
export function pageQuestion(
  { key, message, url, id }: Page,
  { revision, client }: Audience,
): Question<Answered> {
  if (!URL.canParse(url)) throw new TypeError(`Cannot ask to open ${JSON.stringify(url)}: it is no URL`);
  const declared = own(client.capabilities, "elicitation");
  if (!isObject(declared) || !("url" in declared) || revision.elicitation !== "full") {
    throw new MissingCapabilityError({ elicitation: { url: {} } }, revision);
  }
  // Later revisions name nothing: what happened is found out by running again.
  const named = revision.era === "legacy" ? { elicitationId: id ?? crypto.randomUUID() } : {};
  return {
    kind: "elicitation",
    key,
    method: "elicitation/create",
    params: { mode: "url", message, url, ...named },
    isElsewhere: true,
    read: (answer) => readAction(answer, revision),
  };
}

/** Asks for the folders. */
export function rootsQuestion(
  { key }: Keyed,
  { revision, client }: Audience,
): Question<readonly Root[]> {
  if (!isObject(own(client.capabilities, "roots"))) throw new MissingCapabilityError({ roots: {} }, revision);
  return {
    kind: "roots",
    key,
    method: "roots/list",
    params: undefined,
    read(answer) {
      const roots = isObject(answer) ? own(answer, "roots") : undefined;
      if (!Array.isArray(roots)) throw nonsense("a list of roots", revision);
      return roots.map((root: unknown) => {
        const [uri, name] = isObject(root) ? [own(root, "uri"), own(root, "name")] : [];
        if (typeof uri !== "string" || !uri.startsWith("file://")) {
          throw nonsense("roots with file: URIs", revision);
        }
        return typeof name === "string" ? { uri, name } : { uri };
      });
    },
  };
}

/** An answer is something else than what was asked for. */
export function nonsense(wanted: string, revision: Revision): UnansweredError {
  return new UnansweredError(
    `The client was asked for ${wanted}, and answered something else`,
    revision.unusableAnswer,
  );
}

function readAction(answer: unknown, revision: Revision): Answered {
  const action = isObject(answer) ? own(answer, "action") : undefined;
  if (!ACTIONS.includes(action)) throw nonsense('an action: "accept", "decline" or "cancel"', revision);
  return { action: action as Answered["action"] };
}
