/** What the status of a decision means: whether it is in force. */

import type { DecisionRecord } from "./record.ts";
import { isDay } from "../../base/text.ts";
import { isReference } from "./record.ts";

/** A document, which may be a decision record. */
export type Recorded = { readonly record: DecisionRecord | undefined };

/** The status words of decisions, with what they mean: see `standing`. */
export const STATUSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    inForce: "accepted,activated,active,approved,complete,completed,final,implementable,implemented,living",
    rejected: "abandoned,cancelled,declined,rejected,withdrawn",
    over:
      "deprecated,discontinued,expired,inactive,invalidated,obsolete,replaced,retired,reverted,superseded",
    open:
      "adopted,agreed,amended,closed,decided,deferred,demonstrated,done,draft,experimental,idea,in discussion," +
      "in progress,in review,moved,on hold,open,pending,postponed,proposed,provisional,ready-for-release," +
      "recommended,released,returned,review,stagnant,stalled,trial,under discussion,under review,wip",
  }).flatMap(([meaning, words]) => words.split(",").map((word) => [word, meaning])),
);
/** A rejected decision is not in force either. */
const OVER: readonly unknown[] = ["over", "rejected"];

/** Whether a text is a known status, in lower case. */
export function isStatus(status: string): boolean {
  return STATUSES.has(status.replace(/^(?:partly|partially) /, ""));
}

/**
 * The status of a decision, by everything that its record states; undefined for other documents. A record that names its successor
 * is superseded even if its status was not changed, unless the status says "partly".
 */
export function currentStatus({ record }: Recorded): string | undefined {
  const { status = "", supersededBy = [] } = record ?? {};
  const isReplaced = supersededBy.some(isReference) && !/^part(?:ly|ially)\b/.test(status);
  return isReplaced && !OVER.includes(standing(status)) ? "superseded" : record?.status;
}

/** What a status means: the decision is in force, was rejected, is over, or is not made yet; undefined for unknown words. */
export function standing(status = ""): "inForce" | "rejected" | "over" | "open" | undefined {
  return STATUSES.get(status) as ReturnType<typeof standing>;
}

/** Whether the decisions of a status are no longer in force, or never were. */
export function hasEnded(status: string | undefined): boolean {
  return OVER.includes(standing(status));
}

/** Whether a document is a decision that was rejected. */
export function isRejected(document: Recorded): boolean {
  return standing(currentStatus(document)) === "rejected";
}

/** Whether a document is a decision that is known to be no longer in force. */
export function isOver(document: Recorded): boolean {
  return hasEnded(currentStatus(document));
}

/** Whether assistants are told of a document unasked: what is in force, not decided yet, or was decided against. */
export function isTold(document: Recorded): boolean {
  return !isOver(document) || isRejected(document);
}

/** The title of a document; of a decision no longer in force, with its status. */
export function markedTitle(document: Recorded & { readonly title: string }): string {
  return document.title + (isOver(document) ? ` (${currentStatus(document)}: no longer in force)` : "");
}

/** Whether the review of a document was due before a day. A decision no longer in force needs no review. */
export function isOverdue(document: Recorded & { readonly reviewBy?: string }, today: string): boolean {
  const { reviewBy = "" } = document;
  return reviewBy < today && isDay(reviewBy) && !isOver(document);
}

/** Whether a document is in force: a decision by its status; any other document always is. */
export function isInForce(document: Recorded): boolean {
  return standing(currentStatus(document) ?? "accepted") === "inForce";
}

/** The title of a record after its number, unless it begins with the number. */
export function numberedTitle(title: string, number: number | undefined): string {
  const isNumbered = number === undefined || new RegExp(`^\\D{0,5}0*${number}\\b`).test(title);
  return isNumbered ? title : `${number}. ${title}`;
}
