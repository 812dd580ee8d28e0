/** What can a client read? As its field `Accept` says, without weights: there are only two forms of an answer. */

/** The forms of an answer. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: Accepted = Object.freeze({ json: true, events: true });
const known = new Map<string, Accepted>();
/** Clients write it in a handful of ways. */
const MAX_KNOWN = 100;

/** Reads the field; without one, anything goes. */
export function readAccept(field: string | undefined): Accepted {
  if (field === undefined) return BOTH;
  let accepted = known.get(field);
  if (!accepted) {
    const types = field.toLowerCase().split(",").map((type) => type.split(";", 1)[0]!.trim());
    const has = (...names: string[]) => names.some((name) => types.includes(name));
    accepted = {
      json: has("*/*", "application/*", "application/json"),
      events: has("*/*", "text/*", "text/event-stream"),
    };
    if (known.size < MAX_KNOWN) known.set(field, accepted);
  }
  return accepted;
}

/** Whether a body is said to be JSON: a page can send any other kind without being asked first. */
export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? "");
}
