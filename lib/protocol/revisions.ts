/**
 * What differs between the revisions of the protocol? One row of data for each; nothing else in the house compares
 * a revision's name.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */

/** How a revision opens: with a handshake, or not at all. */
export type Era = "legacy" | "modern";

/** One revision of the protocol. */
export interface Revision {
  /** Its name on the wire, a date: "2025-11-25". */
  readonly id: string;
  /** How a conversation in it opens. */
  readonly era: Era;
  /** Whether an array of messages is served. */
  readonly batches: boolean;
  /** The id of an answer to something that has no readable id: null, or no id at all. */
  readonly unreadableId: null | undefined;
  /** The code of "Resource not found". */
  readonly resourceNotFound: -32002 | -32602;
  /** Whether listed things have a `title` and `_meta`, contents a `_meta`, and annotations a `lastModified`. */
  readonly titles: boolean;
  /** Whether tools have `annotations`. */
  readonly toolAnnotations: boolean;
  /** Whether a result can hold sounds. */
  readonly audio: boolean;
  /** Whether progress can be told in words. */
  readonly progressMessages: boolean;
  /** Whether the result of a tool can be data, and hold links to resources. */
  readonly structuredContent: boolean;
  /** Whether the capability `completions` exists. */
  readonly completionsCapability: boolean;
  /** How users can be asked: not at all, with plain forms, or with titled and several choices and with pages too. */
  readonly elicitation: "none" | "plain" | "full";
  /** Whether the client's model can be given tools, and messages of several blocks. */
  readonly samplingTools: boolean;
  /** The code for an answer of the client that cannot be used: a fault of its next request, or of one of ours. */
  readonly unusableAnswer: -32602 | -32603;
  /** Whether a stream of events opens with one that is empty, so that a client can take it up again (SEP-1699). */
  readonly primesStreams: boolean;
  /** The methods that the revision knows; any other is -32601. */
  readonly methods: ReadonlySet<string>;
}

const SHARED_METHODS = [
  "completion/complete",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "tools/call",
  "tools/list",
] as const;

const LEGACY_METHODS: ReadonlySet<string> = new Set([
  ...SHARED_METHODS,
  "initialize",
  "logging/setLevel",
  "ping",
  "resources/subscribe",
  "resources/unsubscribe",
]);
const MODERN_METHODS: ReadonlySet<string> = new Set([
  ...SHARED_METHODS,
  "server/discover",
  "subscriptions/listen",
]);

const legacy = {
  era: "legacy",
  batches: false,
  unreadableId: null,
  resourceNotFound: -32002,
  titles: false,
  toolAnnotations: true,
  audio: true,
  progressMessages: true,
  structuredContent: false,
  completionsCapability: true,
  elicitation: "none",
  samplingTools: false,
  unusableAnswer: -32603,
  primesStreams: false,
  methods: LEGACY_METHODS,
} as const;

/** Every revision that is served, oldest first. */
export const REVISIONS: readonly Revision[] = Object.freeze([
  {
    ...legacy,
    id: "2024-11-05",
    completionsCapability: false,
    toolAnnotations: false,
    audio: false,
    progressMessages: false,
  },
  { ...legacy, id: "2025-03-26", batches: true },
  { ...legacy, id: "2025-06-18", titles: true, structuredContent: true, elicitation: "plain" },
  {
    ...legacy,
    id: "2025-11-25",
    titles: true,
    structuredContent: true,
    unreadableId: undefined,
    elicitation: "full",
    samplingTools: true,
    primesStreams: true,
  },
  {
    id: "2026-07-28",
    era: "modern",
    batches: false,
    unreadableId: undefined,
    resourceNotFound: -32602,
    titles: true,
    toolAnnotations: true,
    audio: true,
    progressMessages: true,
    structuredContent: true,
    completionsCapability: true,
    elicitation: "full",
    samplingTools: true,
    unusableAnswer: -32602,
    primesStreams: false,
    methods: MODERN_METHODS,
  },
]);

const LEGACY = REVISIONS.filter((revision) => revision.era === "legacy");
const MODERN = REVISIONS.filter((revision) => revision.era === "modern");

/** The names of the revisions that a request may state by itself. */
export const MODERN_IDS: readonly string[] = Object.freeze(MODERN.map((revision) => revision.id));

/** What rules where nothing is agreed on yet: `initialize` and `ping` are answered in it. */
export const NEWEST_LEGACY: Revision = LEGACY[LEGACY.length - 1]!;

/** The revision that a handshake agrees on: the one asked for, or else the newest legacy one. */
export function negotiate(requested: string): Revision {
  return LEGACY.find((revision) => revision.id === requested) ?? NEWEST_LEGACY;
}

/** The revision that a request states by itself, where it is one that is served that way. */
export function modernRevision(id: string): Revision | undefined {
  return MODERN.find((revision) => revision.id === id);
}
