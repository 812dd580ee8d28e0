/** Makes skills of documents, prompts and a folder, and answers the methods that serve them. */

import type { FileSystem } from "../../platform/platform.ts";
import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Catalogue } from "../catalogue.ts";
import type { Document } from "../document.ts";
import type { DocumentProvider } from "../document_provider.ts";
import type { PromptDefinition } from "../prompts/prompt.ts";
import type { Scheme } from "../uri.ts";
import type { ExecutionContext } from "../../mcp/server/context.ts";
import type { ExtensionMethods } from "../../mcp/server/provider.ts";
import type { File, ServedSkill } from "./folder.ts";
import type { SkillOptions } from "./options.ts";
import { toBase64 } from "../../base/base64.ts";
import { sha256, textHash } from "../../base/bytes.ts";
import { compact } from "../../base/json.ts";
import { attempt, quoted, shortened } from "../../base/text.ts";
import { splitFrontMatter } from "../../formats/markdown/front_matter.ts";
import { toLines } from "../../formats/markdown/lines.ts";
import { currentStatus, markedTitle } from "../records/status.ts";
import { canonicalPath, decode, inScheme, toUri } from "../uri.ts";
import { invalidParams, stringParam } from "../../mcp/protocol/errors.ts";
import { pageOf } from "../../mcp/protocol/page.ts";
import { SkillStore } from "./folder.ts";
import { MANIFEST } from "./manifest.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The methods that serve skills. Nothing is read before they are called. */
export function skillHandlers(files: FileSystem, options: SkillOptions): ExtensionMethods {
  const { documents, prompts } = options;
  const folder = new SkillStore(files, options);
  /** The sources of the list. */
  let sources: readonly unknown[] = [];
  let listed: ReadonlyMap<string, ServedSkill> = new Map();
  /** All current skills, by key. A skill in the folder replaces a generated one with its key. Names of generated skills are unique. */
  const allSkills = async ({ access }: ExecutionContext): Promise<ReadonlyMap<string, ServedSkill>> => {
    await Promise.all([documents?.ready(), prompts?.ready?.(), folder.refresh()]);
    const { skills: found } = folder;
    const catalogue = documents?.store.visibleTo(access);
    const now = [found, catalogue, prompts?.definitions];
    if (now.every((source, index) => source === sources[index])) return listed;
    const names = new Set(found.map(({ fields }) => fields["name"]));
    const counts = new Map<string, number>();
    const made: ServedSkill[] = [];
    const add = (folder: string, path: string, make: (key: string) => ServedSkill): void => {
      let name = toSlug(path);
      // A name that is taken is cut at 58 characters, which leaves space for a number.
      const start = name.slice(0, 58).replace(/-$/, "");
      for (let count = counts.get(start) ?? 2; names.has(name); counts.set(start, ++count)) {
        name = `${start}-${count}`;
      }
      names.add(name);
      made.push(make(folder + name));
    };
    const all = catalogue?.documents ?? [];
    const records = all.filter(({ record }) => record);
    if (records.length > 0) add("", "how-we-decide", (key) => decisionSkill(key, records, documents!));
    for (const document of all) {
      const { category, record } = document;
      const [, kind] = /^(guideline|pattern)s$/.exec(record ? "" : category) ?? [];
      const path = document.key.slice(category.length + 1);
      if (kind) add(`${category}/`, path, (key) => documentSkill(key, kind, document, documents!));
    }
    const scheme = documents?.scheme ?? "architecture";
    for (const prompt of prompts?.definitions ?? []) {
      add("prompts/", prompt.name, (key) => promptSkill(key, prompt, scheme, catalogue));
    }
    sources = now;
    return listed = new Map([...made, ...found].map((skill) => [skill.key, skill]));
  };
  return {
    "skills/list": async (context, server) => {
      const all = [...(await allSkills(context)).values()];
      const { items, next } = pageOf("skills", all, ({ key }) => key, context.params, server.pageSize);
      const skills: JsonObject[] = [];
      for (const skill of items) skills.push(...await entryOf(skill));
      return compact({ skills, nextCursor: next() });
    },
    "skills/get": async (context) => {
      const uri = stringParam(context.params, "uri");
      const [key = ""] = pathOf(uri).split(/\/SKILL\.md$/);
      const [skill] = await entryOf((await allSkills(context)).get(key));
      if (skill?.["uri"] === `skill://${pathOf(uri)}`) return { skill };
      throw missing("No skill is served", uri);
    },
    "resources/directory/read": async (context, server) => {
      const uri = stringParam(context.params, "uri");
      const folder = `${pathOf(uri)}/`;
      const children = new Map<string, JsonObject>();
      for (const [path, { fields, files }] of await allSkills(context)) {
        for (const file of files.keys()) {
          const key = `${path}/${file}`;
          if (folder === "/" || !key.startsWith(folder)) continue;
          const [child = "", ...rest] = key.slice(folder.length).split("/");
          const isManifest = rest.length === 0 && file === MANIFEST;
          const { name = decode(child), description } = isManifest ? fields : {};
          const mimeType = rest.length > 0 ? "inode/directory" : typeOf(key);
          children.set(child, compact({ uri: `skill://${folder}${child}`, name, description, mimeType }));
        }
      }
      if (children.size === 0) throw missing("No directory of skills is", uri);
      const all = [...children];
      const { items, next } = pageOf("resources", all, ([name]) => name, context.params, server.pageSize);
      return compact({ resources: items.map(([, child]) => child), nextCursor: next() });
    },
    "resources/read": async (context, _server, uri) => {
      const key = pathOf(uri);
      const all = await allSkills(context);
      let file: File | undefined;
      for (let end = key.indexOf("/"); end > 0 && !file; end = key.indexOf("/", end + 1)) {
        file = all.get(key.slice(0, end))?.files.get(key.slice(end + 1));
      }
      const bytes = await file?.read();
      if (!bytes) return undefined;
      // Sent as text only if decoding loses nothing, so that its digest can be checked.
      const text = bytes.includes(0) ? undefined : attempt(() => decoder.decode(bytes));
      const content = text === undefined ? { blob: toBase64(bytes) } : { text };
      return [compact({ uri: `skill://${key}`, mimeType: typeOf(key), ...content })];
    },
  };
}

const missing = (what: string, uri: string) =>
  invalidParams(`${what} at "${quoted(uri, 200)}": skills/list names them`, { uri });
const typeOf = (key: string) => /\.md$/i.test(key) ? "text/markdown" : undefined;
/** The path that a URI in any spelling names; empty for one of another scheme. */
const pathOf = (uri: string): string => canonicalPath(/^skill:\/\/([^?#]*)$/i.exec(uri)?.[1] ?? "");

/** The digests and sizes of files, with the versions that they are of. */
const measures = new WeakMap<File, { version: unknown; digest: string; size: number }>();

/** The entry of a skill in a list; an empty list when its `SKILL.md` cannot be read. */
async function entryOf(skill: ServedSkill | undefined): Promise<JsonObject[]> {
  if (!skill) return [];
  const root = `skill://${skill.key}/`, uri = root + MANIFEST;
  const resources: JsonObject[] = [];
  for (const [name, file] of skill.files) {
    const version = file.version?.();
    let measure = measures.get(file);
    if (!measure || measure.version !== version) {
      const bytes = await file.read();
      if (!bytes) continue;
      measure = { version, digest: `sha256:${await sha256(bytes)}`, size: bytes.length };
      measures.set(file, measure);
    }
    resources.push({ uri: root + name, digest: measure.digest, size: measure.size });
  }
  const isRead = resources.some((file) => file["uri"] === uri);
  return isRead ? [{ uri, frontmatter: skill.fields, resources }] : [];
}

function toSlug(path: string): string {
  const plain = decode(path).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, 64).replace(/-$/, "");
  return slug || `document-${textHash(path)}`;
}

/** Makes a skill of a text, which may have versions. Its front matter is JSON, which is also YAML. */
function toSkill(
  key: string,
  about: string,
  source: string,
  body: () => Awaitable<string>,
  version?: () => object | undefined,
): ServedSkill {
  // YAML does not allow these characters in a text.
  const description = shortened(about.replace(/[\p{Cc}\p{Cs}\p{Cn}\u2028\u2029\uFEFF]/gu, " ").trim(), 1000);
  const fields = { name: key.slice(key.indexOf("/") + 1), description, metadata: { source } };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("");
  const read = async () => encoder.encode(`---\n${head}---\n\n${(await body()).trimStart()}`);
  return { key, fields, files: new Map([[MANIFEST, compact({ read, version })]]) };
}

function documentSkill(key: string, kind: string, document: Document, from: DocumentProvider): ServedSkill {
  const { title, description = "", appliesTo } = document;
  const { store, scheme } = from;
  const scope = appliesTo.length > 0 ? `Applies to ${appliesTo.join(", ")}.` : "";
  const about = `Team ${kind} "${title}". ${description} ${scope}`;
  const body = async () => {
    await store.readable(document);
    const lines = toLines(store.text(document) ?? "");
    return lines.slice(splitFrontMatter(lines).bodyLine).join("\n");
  };
  return toSkill(key, about, toUri(document.key, scheme), body, () => store.json(document));
}

/** A prompt as a skill: its text with the names of arguments and the URIs of embedded documents. */
function promptSkill(
  key: string,
  prompt: PromptDefinition,
  scheme: Scheme,
  catalogue?: Catalogue,
): ServedSkill {
  const { title = prompt.name, description = title, messages } = prompt;
  const text = messages.flatMap(({ template }) => template).map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind === "argument") return `{${part.name}}`;
    const section = part.section === undefined ? "" : `#${part.section}`;
    const lines = (catalogue ? part.find(catalogue) : []).map((document) =>
      `- ${toUri(document.key, scheme)}${section}: ${markedTitle(document)}`
    );
    return lines.join("\n") || `(No document matches ${inScheme(part.uri, scheme)}.)`;
  });
  const given = prompt.arguments.map(({ name, required, description = "" }) =>
    `- {${name}}${required ? "" : " (optional)"}: ${description}\n`
  );
  const intro = `# ${title}\n\nFor a line that begins with ${scheme}://, read that \
resource of this server, or call read_document with it. The user or the task gives the values in braces:\n\n${
    given.join("")
  }\n`;
  return toSkill(key, description, `prompt ${prompt.name}`, () => intro + text.join(""));
}

function decisionSkill(key: string, records: readonly Document[], { scheme }: DocumentProvider): ServedSkill {
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
  const skill = toSkill(key, about, "decision records", () => text);
  const index = records.map(({ key, title, description = "", record }) => {
    const facts = [currentStatus({ record }) ?? "no status", record?.date, ...record?.supersededBy ?? []];
    return `- ${toUri(key, scheme)}: ${title} (${facts.filter(Boolean).join(", ")}). ${description}\n`;
  });
  const read = () => encoder.encode(`# Decisions\n\n${index.join("")}`);
  return { ...skill, files: new Map([...skill.files, ["references/decisions.md", { read }]]) };
}
