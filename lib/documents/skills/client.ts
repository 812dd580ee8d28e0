/** Reads the skills of a server as a host must: only when needed, and only files that match the entry. */

import type { JsonObject } from "../../base/json.ts";
import type { CallOptions, Client } from "../../mcp/client/mod.ts";
import { fromBase64 } from "../../base/base64.ts";
import { sha256 } from "../../base/bytes.ts";
import { asArray, asObject, canonical, isObject } from "../../base/json.ts";
import { quoted, uriDecoded } from "../../base/text.ts";
import { ClientError, ProtocolError } from "../../mcp/client/errors.ts";
import { SKILLS } from "../../mcp/protocol/methods.ts";
import { faultOf, MANIFEST, readManifest } from "./manifest.ts";

/** The entry of a skill, which a user approves. A stored approval must be bound to all digests. */
export interface Skill {
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  /** The front matter of its `SKILL.md`, with all fields. It grants no permissions. */
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string };
  /** All its files, with SHA-256 ("sha256:" and hexadecimal digits) and size in bytes; "dynamic" if they change. */
  readonly resources:
    | readonly { readonly uri: string; readonly digest: string; readonly size: number }[]
    | "dynamic";
}

/** A file does not match the entry and must not be used. The skill may have changed: get its entry again. */
export class SkillError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "SkillError";
  /** What does not match. */
  readonly reason: "unlisted" | "size" | "digest" | "frontmatter";

  /** Makes an error with a reason and a message. */
  constructor(reason: SkillError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The maximum size of all pages of a list as JSON, in UTF-16 units. */
const MAX_LIST = 64 * 1024 * 1024;

/** The skills of a server. A host must ask the user before it loads a skill, and name the server. */
export class SkillsClient {
  readonly #client: Client;

  /** Sends nothing yet. */
  constructor(client: Client) {
    this.#client = client;
  }

  /** The skills that the server lists, page by page; none if it lacks the extension. Throws a `ProtocolError` for an invalid entry. */
  async *list(options: CallOptions = {}): AsyncGenerator<Skill, void, undefined> {
    const { era } = this.#client;
    const cursors = new Set<unknown>();
    let size = 0;
    let more = isObject(asObject(this.#client.server.capabilities["extensions"])[SKILLS.id]);
    for (let cursor: unknown; more;) {
      const page = await this.#client.call("skills/list", { cursor }, options), { skills, nextCursor } = page;
      // Cursors are kept too, and count.
      if ((size += JSON.stringify(page).length) > MAX_LIST) {
        throw new ProtocolError(`skills/list has more than ${MAX_LIST} characters`);
      }
      for (const entry of asArray(skills)) yield checked(entry);
      if (cursors.has(nextCursor) || cursors.size > 1000) throw new ProtocolError("skills/list does not end");
      cursors.add(cursor = nextCursor);
      more = era === "modern" ? (nextCursor ?? undefined) !== undefined : Boolean(nextCursor);
    }
  }

  /** The current entry of a skill, listed or not. Throws a `ProtocolError` when it is not valid, or is that of another skill. */
  async get(uri: string, options: CallOptions = {}): Promise<Skill> {
    const skill = checked((await this.#client.call("skills/get", { uri }, options))["skill"]);
    if (skill.uri === uri) return skill;
    throw new ProtocolError(`The server answered skills/get for ${quoted(uri, 200)} with another skill`);
  }

  /**
   * Reads a file, and checks its size and digest against the entry; for `SKILL.md`, also the front matter. A file that matches is
   * still data from the server, and not more trusted. Files of dynamic skills cannot be checked and are not read.
   *
   * @param path Relative to the folder of the skill, as in its text: "references/forms.md". @default {"SKILL.md"}
   * @throws {SkillError} When the file does not match the entry.
   */
  async read(skill: Skill, path: string = MANIFEST, options: CallOptions = {}): Promise<Uint8Array> {
    const { uri: own, frontmatter, resources } = checked(skill);
    const name = decodedPath(path.replace(/^(?:\.\/)+|#.*$/g, ""));
    const start = own.length - MANIFEST.length;
    const pathOf = (uri: unknown) => decodedPath(String(uri).slice(start));
    const file = asArray(resources).map(asObject).find(({ uri }) => pathOf(uri) === name);
    if (!file || name === undefined) {
      throw new SkillError("unlisted", `The entry of ${own} has no file "${quoted(path, 200)}"`);
    }
    const { uri, size, digest } = file;
    // Not from the cache, in which a file that does not match would stay.
    const { contents } = await this.#client.call("resources/read", { uri }, options);
    const { text, blob } = asArray(contents).map(asObject).find((one) => one["uri"] === uri) ?? {};
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : fromBase64(String(blob));
    if (!bytes || (text ?? blob) === undefined) throw new ProtocolError(`${uri} was read without contents`);
    const fail = (reason: SkillError["reason"], what: string) =>
      new SkillError(reason, `${uri} is not what its entry says: ${what}`);
    if (bytes.length !== size) throw fail("size", `it has ${bytes.length} bytes instead of ${size}`);
    if (`sha256:${await sha256(bytes)}` !== digest) throw fail("digest", "it has another digest");
    if (uri !== own) return bytes;
    const fields = readManifest(bytes, frontmatter.name);
    if (canonical(fields) === canonical(frontmatter)) return bytes;
    throw fail("frontmatter", typeof fields === "string" ? fields : "it has another front matter");
  }
}

/** A path with its segments decoded; undefined when it could lead out of the folder of the skill. */
function decodedPath(path: string): string | undefined {
  const segments = path.split("/").map(uriDecoded);
  const isPlain = segments.every((one) => one !== undefined && !/^\.{0,2}$|[/\\\0]/.test(one));
  return isPlain && !/[?#]/.test(path) ? segments.join("/") : undefined;
}

/** Checks an entry. @throws {ProtocolError} When it is not valid. */
function checked(entry: unknown): Skill {
  const { uri, frontmatter, resources } = asObject(entry), own = String(uri);
  const named = /^([a-z][a-z\d+.-]*:\/\/(?:[^?#]*\/)?([^/?#]+)\/)SKILL\.md$/i.exec(own);
  const [, root = "", folder = ""] = named ?? [];
  const paths = asArray(resources).map(asObject).map(({ uri, digest, size }) => {
    const isValid = /^sha256:[\da-f]{64}$/.test(String(digest)) && Number.isInteger(size) &&
      Number(size) >= 0;
    return isValid && String(uri).startsWith(root) ? decodedPath(String(uri).slice(root.length)) : undefined;
  });
  const isComplete = resources === "dynamic" ||
    (paths.includes(MANIFEST) && new Set(paths).size === paths.length && !paths.includes(undefined));
  const fault = !named
    ? "its uri does not name a SKILL.md in a folder"
    : faultOf(asObject(frontmatter), uriDecoded(folder) ?? "") ??
      (isComplete ? undefined : "its resources must be all its files, once, each with digest and size");
  if (fault === undefined) return entry as Skill;
  throw new ProtocolError(`The server has a skill that is not valid, "${quoted(own, 200)}": ${fault}`);
}
