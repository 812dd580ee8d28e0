/**
 * The revisions of the protocol that are served, and what differs between them. No other code compares their names.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */

/** Legacy revisions open with an `initialize` handshake; modern ones state the version in every request. */
export type Era = "legacy" | "modern";

/** One revision of the protocol. */
export interface Revision {
  /** Its name on the wire, a date: "2025-11-25". */
  readonly id: string;
  /** How its clients state the version. */
  readonly era: Era;
  /** Whether an array of messages is served. */
  readonly batches: boolean;
  /** The id of an error response to a message without a readable id: null, or left out. */
  readonly unreadableId: null | undefined;
  /** The error code of "Resource not found". */
  readonly resourceNotFound: -32002 | -32602;
  /** Whether listed items have a `title` and `_meta`, contents a `_meta`, and annotations a `lastModified`. */
  readonly titles: boolean;
  /** Whether tools have `annotations`. */
  readonly toolAnnotations: boolean;
  /** Whether a result can hold audio. */
  readonly audio: boolean;
  /** Whether progress has a message. */
  readonly progressMessages: boolean;
  /** Whether tool results have `structuredContent` and resource links. */
  readonly structuredContent: boolean;
  /** Whether the capability `completions` exists. */
  readonly completionsCapability: boolean;
  /** Elicitation: none, plain forms, or forms with titled and multiple choice, and URLs. */
  readonly elicitation: "none" | "plain" | "full";
  /** Whether sampling has tools, and messages of several blocks. */
  readonly samplingTools: boolean;
  /**
   * The error code for an unusable answer of the client: -32602 where answers are in requests, -32603 where they are in responses
   * to the server.
   */
  readonly unusableAnswer: -32602 | -32603;
  /** Whether an event stream starts with an empty event, so that a client can resume it (SEP-1699). */
  readonly primesStreams: boolean;
}

/** The values of most revisions; the oldest three differ. */
const common = {
  era: "legacy",
  batches: false,
  unreadableId: undefined,
  resourceNotFound: -32002,
  titles: true,
  toolAnnotations: true,
  audio: true,
  progressMessages: true,
  structuredContent: true,
  completionsCapability: true,
  elicitation: "full",
  samplingTools: true,
  unusableAnswer: -32603,
  primesStreams: false,
} as const;
const old = {
  ...common,
  unreadableId: null,
  titles: false,
  structuredContent: false,
  elicitation: "none",
  samplingTools: false,
} as const;

/** Every revision that is served, oldest first. */
export const REVISIONS: readonly Revision[] = Object.freeze([
  {
    ...old,
    id: "2024-11-05",
    completionsCapability: false,
    toolAnnotations: false,
    audio: false,
    progressMessages: false,
  },
  { ...old, id: "2025-03-26", batches: true },
  { ...old, id: "2025-06-18", titles: true, structuredContent: true, elicitation: "plain" },
  { ...common, id: "2025-11-25", primesStreams: true },
  { ...common, id: "2026-07-28", era: "modern", resourceNotFound: -32602, unusableAnswer: -32602 },
]);

function byId(era: Era): ReadonlyMap<string, Revision> {
  return new Map(
    REVISIONS.filter((revision) => revision.era === era).map((revision) => [revision.id, revision]),
  );
}

/** The revisions that a handshake can negotiate, by version, oldest first. */
export const LEGACY_REVISIONS: ReadonlyMap<string, Revision> = byId("legacy");

/** The revisions that a request can state, by version. */
export const MODERN_REVISIONS: ReadonlyMap<string, Revision> = byId("modern");

/** The revision in force before anything is negotiated, for `initialize` and `ping`. */
export const NEWEST_LEGACY: Revision = [...LEGACY_REVISIONS.values()].at(-1)!;

/**
 * The revision that a handshake results in: the requested one if it is a served legacy revision, else the newest legacy one.
 */
export function negotiatedRevision(requested: string): Revision {
  return LEGACY_REVISIONS.get(requested) ?? NEWEST_LEGACY;
}

/** The revision and client of a request: negotiated in a handshake, or stated in the request itself. */
export interface Negotiated {
  /** The revision of the response. */
  readonly revision: Revision;
  /** What the client states about itself. */
  readonly client: ClientFacts;
}

/** What a client states about itself. */
export interface ClientFacts {
  /** Its `clientInfo`, unchecked: a name, a version, and a title if it has one. Undefined without one. */
  readonly info: Readonly<Record<string, unknown>> | undefined;
  /** Its capabilities, by the names of the specification. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The annotations that a revision defines; undefined when none are left. */
export function annotationsIn<T extends { readonly lastModified?: string }>(
  { titles }: Pick<Revision, "titles">,
  annotations: T | undefined,
): T | undefined {
  if (!annotations || titles) return annotations;
  const { lastModified: _, ...rest } = annotations;
  return Object.keys(rest).length > 0 ? rest as T : undefined;
}
