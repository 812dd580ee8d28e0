/**
 * What does a server answer with? The shapes of the specification, as far as a client reads them; what a server adds is
 * kept. Members that a revision does not know are missing in it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */

/** What every listed thing can have. */
export interface Named {
  /** What it is asked for by. */
  readonly name: string;
  /** What people call it. */
  readonly title?: string;
  /** What it is, for people and models. */
  readonly description?: string;
  /** What the server says beside the protocol. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** A tool, as it is listed. */
export interface Tool extends Named {
  /** What its arguments must fit, as JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** What `structuredContent` fits, as JSON Schema. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** What the server says of its effects; nothing to rely on. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A resource, as it is listed. */
export interface Resource extends Named {
  /** What it is read by. */
  readonly uri: string;
  /** What its content is. */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
}

/** A family of resources. */
export interface ResourceTemplate extends Named {
  /** The URIs of the family, as RFC 6570 writes them. */
  readonly uriTemplate: string;
  /** What the contents are, where they are all of one kind. */
  readonly mimeType?: string;
}

/** A prompt, as it is listed. */
export interface Prompt extends Named {
  /** What it can be filled in with. */
  readonly arguments?: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/** One piece of what a tool or a prompt says: text, an image, a sound, a resource or a link to one, told apart by `type`. */
export interface ContentBlock {
  /** The kind of content: "text", "image", "audio", "resource", "resource_link". */
  readonly type: string;
  /** The text, where it is text. */
  readonly text?: string;
  /** The bytes in Base64, where it is an image or a sound. */
  readonly data?: string;
  /** What the bytes are. */
  readonly mimeType?: string;
  /** The resource, where one is embedded. */
  readonly resource?: ResourceContents;
  /** Whatever else belongs to this kind. */
  readonly [member: string]: unknown;
}

/** The content of a resource: text, or bytes in Base64. */
export interface ResourceContents {
  /** What it was read by. */
  readonly uri: string;
  /** What it is. */
  readonly mimeType?: string;
  /** The text, where it is text. */
  readonly text?: string;
  /** The bytes in Base64, where it is not. */
  readonly blob?: string;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** What every answer can have. */
export interface Result {
  /** What the server says beside the protocol. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** One page of a list. */
export interface Page extends Result {
  /** Asks for the next page; missing on the last one. */
  readonly nextCursor?: string;
}

/** One page of the tools. */
export interface ToolsPage extends Page {
  /** Those on this page. */
  readonly tools: readonly Tool[];
}

/** One page of the resources. */
export interface ResourcesPage extends Page {
  /** Those on this page. */
  readonly resources: readonly Resource[];
}

/** One page of the families of resources. */
export interface ResourceTemplatesPage extends Page {
  /** Those on this page. */
  readonly resourceTemplates: readonly ResourceTemplate[];
}

/** One page of the prompts. */
export interface PromptsPage extends Page {
  /** Those on this page. */
  readonly prompts: readonly Prompt[];
}

/** What a tool has answered. */
export interface ToolResult extends Result {
  /** What it says, for a model. */
  readonly content: readonly ContentBlock[];
  /** What it says, as data that fits the tool's `outputSchema`. */
  readonly structuredContent?: unknown;
  /** Whether the tool has failed: its content says how. */
  readonly isError?: boolean;
}

/** What a resource holds. */
export interface ReadResult extends Result {
  /** Its contents, mostly one. */
  readonly contents: readonly ResourceContents[];
}

/** A prompt, filled in. */
export interface PromptResult extends Result {
  /** What it is for. */
  readonly description?: string;
  /** What is said, by whom. */
  readonly messages: readonly { readonly role: string; readonly content: ContentBlock }[];
}

/** What an argument can be completed with. */
export interface Completion extends Result {
  /** The values, best first, 100 at most. */
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
}
