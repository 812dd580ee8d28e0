/** Makes skills of documents, prompts and a folder, and answers the methods that serve them. */

import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Awaitable } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/catalogue.ts";
import type { DocumentProvider } from "../documents/provider.ts";
import type { PromptDefinition } from "../prompts/definition.ts";
import type { ExecutionContext } from "../server/context.ts";
import type { Extension } from "../server/provider.ts";
import type { SkillOptions } from "./mod.ts";
import { fromCursor, sha256, textHash, toBase64, toCursor } from "../base/bytes.ts";
import { compact, own } from "../base/json.ts";
import { quoted, shortened } from "../base/text.ts";
import { attempt, isHidden, isUnchanged, readInside, walkFiles } from "../documents/files.ts";
import { readFrontMatter, toLines } from "../documents/markdown.ts";
import { currentStatus, isOver } from "../documents/metadata.ts";
import { kindOf, problem } from "../documents/scanner.ts";
import { canonical, decode, toKey, toUri } from "../documents/uri.ts";
import { invalidParams, stringParam } from "../protocol/errors.ts";
import { MANIFEST, readManifest } from "./manifest.ts";

/** What every host can load of one skill, and the most files of all. */
const MAX_SKILL_FILES = 512, MAX_SKILL_BYTES = 16 * 1024 * 1024, MAX_FILES = 20_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

type Methods = Awaited<ReturnType<NonNullable<Extension["load"]>>>;

/** A file of a skill. */
interface File {
  readonly read: () => Awaitable<Uint8Array | undefined>;
  /** The same object while the bytes are the same. @default {unknown} */
  readonly version?: () => object | undefined;
}

/** A skill: its front matter, and its files by name. */
interface Skill {
  readonly fields: JsonObject;
  readonly files: Readonly<Record<string, File>>;
}

/** A file below `skills/`; the same object while it is not changed. Its key is the path in its URI. */
interface FolderFile {
  readonly key: string;
  readonly status: FileStatus;
  readonly read: () => Uint8Array | undefined;
  /** The front matter of a `SKILL.md`, or why it is not that of a skill, once it was read. */
  fields?: JsonObject | string;
}

/** The methods that serve skills. Nothing is read before they are called. */
export function skillHandlers(files: FileSystem, options: SkillOptions): Methods {
  const { documents, prompts } = options;
  const findSkills = folderSkills(files, options);
  /** All skills now, by path. Of two with one path, that of the folder is served; the names that are made are unique. */
  const allSkills = async (): Promise<ReadonlyMap<string, Skill>> => {
    await Promise.all([documents?.ready(), prompts?.ready?.()]);
    const found = findSkills();
    const names = new Set(found.map(([, { fields }]) => fields["name"]));
    const made: [string, Skill][] = [];
    const add = (folder: string, path: string, make: (name: string) => Skill): void => {
      const slug = toSlug(path);
      let name = slug;
      for (let count = 2; names.has(name); count++) name = `${slug.slice(0, 58).replace(/-$/, "")}-${count}`;
      names.add(name);
      made.push([folder + name, make(name)]);
    };
    const all = documents?.store.catalogue.documents ?? [];
    const records = all.filter(({ record }) => record);
    if (records.length > 0) add("", "how-we-decide", (name) => decisionSkill(name, records, documents!));
    for (const document of all) {
      const { category, key, record } = document;
      const [, kind] = /^(guideline|pattern)s$/.exec(record ? "" : category) ?? [];
      const path = key.slice(key.indexOf("/") + 1);
      if (kind) add(`${category}/`, path, (name) => documentSkill(name, kind, document, documents!));
    }
    for (const prompt of prompts?.definitions ?? []) {
      add("prompts/", prompt.name, (name) => promptSkill(name, prompt, documents));
    }
    return new Map([...made, ...found]);
  };
  return {
    "skills/list": async (context, server) => {
      const entries: JsonObject[] = [];
      for (const [path, skill] of await allSkills()) entries.push(...await entryOf(path, skill));
      return page("skills", entries, context, server);
    },
    "skills/get": async ({ params }) => {
      const uri = stringParam(params, "uri");
      const path = pathOf(uri).slice(0, -MANIFEST.length - 1);
      const [skill] = await entryOf(path, (await allSkills()).get(path));
      if (skill && pathOf(uri) === `${path}/${MANIFEST}`) return { skill };
      throw invalidParams(`No skill is served at ${quoted(uri, 200)}`, { uri });
    },
    "resources/directory/read": async (context, server) => {
      const uri = stringParam(context.params, "uri");
      const folder = `${pathOf(uri)}/`;
      const children = new Map<string, JsonObject>();
      for (const [path, { fields, files }] of await allSkills()) {
        for (const file of Object.keys(files)) {
          const key = `${path}/${file}`;
          if (folder === "/" || !key.startsWith(folder)) continue;
          const [child = "", ...rest] = key.slice(folder.length).split("/");
          const isManifest = rest.length === 0 && file === MANIFEST;
          const { name = decode(child), description } = isManifest ? fields : {};
          const mimeType = rest.length > 0 ? "inode/directory" : typeOf(key);
          children.set(child, compact({ uri: `skill://${folder}${child}`, name, description, mimeType }));
        }
      }
      if (children.size === 0) throw invalidParams(`${quoted(uri, 200)} is no directory of skills`, { uri });
      return page("resources", [...children.values()], context, server);
    },
    "resources/read": async (_context, _server, uri) => {
      const key = pathOf(uri);
      let file: File | undefined;
      for (const [path, { files }] of await allSkills()) {
        if (key.startsWith(`${path}/`)) file ??= own(files, key.slice(path.length + 1)) as File | undefined;
      }
      const bytes = await file?.read();
      if (!bytes) return undefined;
      // Text where decoding loses nothing, so that its digest can be checked.
      const text = bytes.includes(0) ? undefined : attempt(() => decoder.decode(bytes));
      const content = text === undefined ? { blob: toBase64(bytes) } : { text };
      return [compact({ uri: `skill://${key}`, mimeType: typeOf(key), ...content })];
    },
  };
}

/** A page of a list. A cursor names the list and its content. */
function page(
  member: string,
  items: readonly JsonObject[],
  { params: { cursor } }: ExecutionContext,
  { pageSize }: { readonly pageSize: number },
): JsonObject {
  const list = `${member} ${textHash(items.map(({ uri }) => uri).join("\n"))}`;
  const start = Number(cursor === undefined ? 0 : fromCursor(list, String(cursor)));
  if (!(start >= 0)) throw invalidParams("The cursor is not one of this list as it is now", { cursor });
  const end = start + pageSize;
  const next = end < items.length ? { nextCursor: toCursor(list, String(end)) } : {};
  return { [member]: items.slice(start, end), ...next };
}

const typeOf = (key: string) => /\.md$/i.test(key) ? "text/markdown" : undefined;
/** The path that a URI in any spelling names; empty for one of another scheme. */
const pathOf = (uri: string): string => canonical(/^skill:\/\/([^?#]*)$/i.exec(uri)?.[1] ?? "");

/** Digests and sizes, by the version of a file. */
const measures = new WeakMap<object, { readonly digest: string; readonly size: number }>();

/** The entry of a skill, in a list; none when there is no such skill. */
async function entryOf(path: string, skill: Skill | undefined): Promise<JsonObject[]> {
  const resources: JsonObject[] = [];
  for (const [name, { read, version }] of Object.entries(skill?.files ?? {})) {
    const key = version?.();
    let measure = key && measures.get(key);
    const bytes = measure ? undefined : await read();
    if (bytes) measure = { digest: `sha256:${await sha256(bytes)}`, size: bytes.length };
    if (key && measure) measures.set(key, measure);
    if (measure) resources.push({ uri: `skill://${path}/${name}`, ...measure });
  }
  const uri = `skill://${path}/${MANIFEST}`;
  return resources.some((file) => file["uri"] === uri)
    ? [{ uri, frontmatter: skill!.fields, resources }]
    : [];
}

/** Finds the skills below `skills/` in the root. What is not as the specification says is left out, and reported once. */
function folderSkills(files: FileSystem, { root, onfinding }: SkillOptions): () => [string, Skill][] {
  let known = new Map<string, FolderFile>();
  const reported = new Set<string>();
  const report = (rule: string, name: string, message?: string): void => {
    const finding = problem(rule, shortened(`skills/${name}`, 300), message);
    const text = JSON.stringify(finding);
    if (!reported.has(text)) onfinding?.(finding);
    reported.add(text);
  };
  return () => {
    const within = root === undefined ? undefined : attempt(() => files.realPath(root));
    const all: FolderFile[] = [];
    for (const name of within === undefined ? [] : walkFiles(files, `${within}/skills`, isHidden)) {
      const path = `${within}/skills/${name}`, key = toKey(name.split("/")), before = known.get(key);
      const kind = kindOf(files, { name, kind: "link" }, path, within!);
      const status = attempt(() => files.status(path));
      // Links to folders are not followed.
      if (isHidden(name.slice(name.lastIndexOf("/") + 1)) || kind === "directory") continue;
      if (/[\\\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name)) {
        report("skill-invalid", name, "The name of the file has characters that can be misread");
      } else if (kind !== "file" || !status) {
        report(kind === "outside" ? "link-leads-out" : "unreadable", name);
      } else if (before && isUnchanged(before.status, status)) all.push(before);
      else all.push({ key, status, read: () => readInside(files, path, within!, MAX_SKILL_BYTES)?.bytes });
      if (all.length >= MAX_FILES) break;
    }
    known = new Map(all.sort((one, other) => one.key < other.key ? -1 : 1).map((file) => [file.key, file]));
    return all.flatMap((manifest) => {
      if (!manifest.key.endsWith(`/${MANIFEST}`)) return [];
      const path = manifest.key.slice(0, -MANIFEST.length - 1);
      const own = all.filter(({ key }) => key.startsWith(`${path}/`));
      const size = own.reduce((sum, { status }) => sum + status.size, 0);
      const isTooLarge = own.length > MAX_SKILL_FILES || size > MAX_SKILL_BYTES;
      manifest.fields ??= readManifest(manifest.read(), path.slice(path.lastIndexOf("/") + 1));
      const fields = isTooLarge ? "it has more than 512 files or 16 MiB" : manifest.fields;
      if (typeof fields === "string") {
        return report("skill-invalid", manifest.key, `The skill is not served: ${fields}`) ?? [];
      }
      const inner = own.map((file) =>
        [file.key.slice(path.length + 1), { ...file, version: () => file }] as const
      );
      return [[path, { fields, files: Object.fromEntries(inner) }]];
    });
  };
}

/** A name for a skill, made from a key. */
function toSlug(path: string): string {
  const plain = decode(path).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, 64).replace(/-$/, "");
  return slug || `document-${textHash(path)}`;
}

/** A skill that is made here, with a text. The front matter is written in JSON, which is YAML too. */
function toSkill(name: string, about: string, source: string, body: () => Awaitable<string>): Skill {
  // YAML does not allow all characters in a text.
  const description = shortened(about.replace(/[\p{Cc}\p{Cs}\p{Cn}\u2028\u2029\uFEFF]/gu, " ").trim(), 1000);
  const fields = { name, description, metadata: { source } };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("");
  const read = async () => encoder.encode(`---\n${head}---\n\n${(await body()).trimStart()}`);
  return { fields, files: { [MANIFEST]: { read } } };
}

/** A document as a skill: its text, below a front matter of ours. */
function documentSkill(name: string, kind: string, document: Document, from: DocumentProvider): Skill {
  const { key, title, description = "", appliesTo } = document;
  const { store, scheme } = from;
  const scope = appliesTo.length > 0 ? `Applies to ${appliesTo.join(", ")}.` : "";
  const about = `Team ${kind} "${title}". ${description} ${scope}`;
  const { fields, files } = toSkill(name, about, toUri(key, scheme), async () => {
    await store.readable(document);
    const lines = toLines(store.text(document) ?? "");
    return lines.slice(readFrontMatter(lines).bodyLine).join("\n");
  });
  return { fields, files: { [MANIFEST]: { ...files[MANIFEST]!, version: () => store.json(document) } } };
}

/** A prompt as a skill: its text, with the names of arguments, and the URIs of the documents that it embeds. */
function promptSkill(name: string, prompt: PromptDefinition, documents: DocumentProvider | undefined): Skill {
  const { title = prompt.name, description = title, messages } = prompt;
  const text = messages.flatMap(({ template }) => template).map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind === "argument") return `{${part.name}}`;
    const section = part.section === undefined ? "" : `#${part.section}`;
    const { uri, matches } = part, catalogue = documents?.store.catalogue;
    const found = matches
      ? catalogue?.documents.filter(({ key }) => matches(key))
      : catalogue?.find(uri).documents;
    const lines = (found ?? []).map((document) => {
      const state = isOver(document) ? ` (${currentStatus(document)}: no longer in force)` : "";
      return `- ${toUri(document.key, "architecture")}${section}: ${document.title}${state}`;
    });
    return lines.join("\n") || `(No document matches ${uri}.)`;
  });
  const given = prompt.arguments.map(({ name, required, description = "" }) =>
    `- {${name}}${required ? "" : " (optional)"}: ${description}\n`
  );
  const intro =
    `# ${title}\n\nFor a line that begins with architecture://, read that resource of this server, or call \
read_document with it. What stands in braces is given by the user or the task:\n\n${given.join("")}\n`;
  return toSkill(name, description, `prompt ${prompt.name}`, () => intro + text.join(""));
}

/** How to work with the decisions of the team, and an index of them. */
function decisionSkill(name: string, records: readonly Document[], { scheme }: DocumentProvider): Skill {
  const about =
    "How this team decides on architecture, with all decisions. Use it before designing, choosing a \
technology, changing code that a decision may govern, or drafting a decision record.";
  const text = `# How we decide

This team writes its architecture decisions down. references/decisions.md has a line for each of ${records.length} records.

1. Before you design or change code, call the tool decisions_for with the files that you will touch, and search_documents \
with the subject; or look into references/decisions.md.
2. Read what bears on the task, with read_document or as a resource, and follow it.
3. What is superseded, deprecated or rejected does not hold: read its successor, or why. What is proposed does not yet.
4. If no record answers, or you disagree with one, say so, and offer to draft a record with the status proposed in the \
form of the others. People accept it.
`;
  const { fields, files } = toSkill(name, about, "decision records", () => text);
  const index = records.map(({ key, title, description = "", record }) => {
    const facts = [currentStatus({ record }) ?? "no status", record?.date, ...record?.supersededBy ?? []];
    return `- ${toUri(key, scheme)}: ${title} (${facts.filter(Boolean).join(", ")}). ${description}\n`;
  });
  const read = () => encoder.encode(`# Decisions\n\n${index.join("")}`);
  return { fields, files: { ...files, "references/decisions.md": { read } } };
}
