/** The metadata of a document. Readers of YAML and of decision records are loaded for the first document that needs them. */

import type { Metadata } from "./document.ts";
import type { RecordWords } from "./records/record.ts";
import type { Awaitable } from "../base/async.ts";
import type { FrontMatter } from "../formats/markdown/front_matter.ts";
import { allOf, andThen, loadOnce } from "../base/async.ts";
import { detached } from "../base/json.ts";
import { firstParagraph, readBody } from "../formats/markdown/body.ts";
import { toLines } from "../formats/markdown/lines.ts";
import { hasRecordName, hasRecordSections, isFieldLine, recordTitle } from "./records/signs.ts";
import { recordName } from "./records/name.ts";

/** The maximum length of a description, and of a text that `shorten` returns, in characters. */
export const MAX_DESCRIPTION = 200;
/** How much of a document is searched for metadata, in UTF-16 units. */
export const MAX_READ: number = 256 * 1024;

/** What a text says, read as any document and as a decision record. */
interface Reading {
  readonly metadata: Metadata;
  /** Undefined without a name or sections of a record. A status alone is not a sign, because most guidelines have one too. */
  readonly asRecord: Metadata | undefined;
  /** Why it looks like a record: "name" (has a number or a date, or the title says so), "status", "sections". */
  readonly signs: readonly string[];
  readonly problems: FrontMatter["problems"];
}

const frontMatterReader = loadOnce(() => import("../formats/markdown/front_matter.ts"));
const yamlReader = loadOnce(() => import("../formats/markdown/yaml_value.ts"));
const recordReader = loadOnce(() => import("./records/as_record.ts"));
const NO_FRONT_MATTER: FrontMatter = { values: new Map(), bodyLine: 0, problems: [] };

/** Reads a text; with `isRecord`, always as a record. `sibling` is YAML with more fields of it, `words` are those of the team. */
export function readMetadata(
  file: { readonly name: string; readonly label: string },
  text: string,
  isRecord: boolean,
  sibling?: string,
  words?: RecordWords,
): Awaitable<Reading> {
  const lines = toLines(text.slice(0, MAX_READ));
  const more = !sibling ? [] : [["---", ...toLines(sibling), "---"]];
  return andThen(
    allOf([lines, ...more].map(frontMatterOf)),
    (fronts) => readLines(file, lines, fronts, isRecord, words),
  );
}

function frontMatterOf(lines: readonly string[]): Awaitable<FrontMatter> {
  // Blank lines may be before it.
  if (!/^(?:---|\+\+\+)/.test(lines.slice(0, 20).find((line) => line !== "") ?? "")) return NO_FRONT_MATTER;
  return andThen(frontMatterReader(), ({ joinFrontMatter, needsYaml, splitFrontMatter }) => {
    const split = splitFrontMatter(lines);
    return andThen(
      needsYaml(split) ? yamlReader() : undefined,
      (reader) => joinFrontMatter(split, reader?.readYamlValue),
    );
  });
}

function readLines(
  { name, label }: { readonly name: string; readonly label: string },
  lines: readonly string[],
  fronts: readonly FrontMatter[],
  isRecord: boolean,
  words: RecordWords | undefined,
): Awaitable<Reading> {
  const { values, bodyLine, problems } = fronts[0]!;
  const body = readBody(lines, bodyLine), { prose, sections } = body;
  const valueOf = (key: string) => values.get(key)?.join(", ").replace(/\s+/g, " ").trim() || undefined;
  const listOf = (...keys: string[]) => Object.freeze(keys.flatMap((key) => values.get(key) ?? []));
  const descriptionOf = (paragraph = "") => detached(shorten(paragraph)) || undefined;
  const [reviewBy] = listOf("review-by", "review_by", "reviewby");
  const statedTitle = valueOf("title"), description = shorten(valueOf("description") ?? "");
  const title = sections.find(({ level, title }) => level === 1 && title !== "")?.title ??
    htmlTitle(lines, prose);
  const metadata: Metadata = {
    title: detached(statedTitle ?? title ?? name),
    description: description || descriptionOf(firstParagraph(lines, prose, isFieldLine)),
    record: undefined,
    tags: listOf("tags", "keywords"),
    appliesTo: listOf("applies-to", "appliesto", "applies_to", "affects"),
    ...(reviewBy !== undefined && { reviewBy }),
    ...((values.has("forbids") || values.has("requires")) && { hasCodeRules: true }),
  };
  const ownName = recordName(label), hasName = hasRecordName(ownName, title);
  const [first] = sections, isOnTop = first && lines.slice(bodyLine, first.line).join("").trim() === "";
  const ownTitle = recordTitle(title, isOnTop ? first.title : "");
  const inner = sections.filter((one) => one.title !== ownTitle), hasSections = hasRecordSections(inner);
  const none: Reading = { metadata, asRecord: undefined, signs: [], problems };
  const isOther = !isRecord && !hasName && !hasSections && fronts.length === 1;
  if (isOther && hasSections === false) return none;
  const known = { name: ownName, title: statedTitle ?? ownTitle, hasName, hasSections, isOther };
  return andThen(
    recordReader(),
    ({ readAsRecord }) =>
      andThen(readAsRecord(known, fronts, lines, body, inner, words), (read) => {
        if (!read) return none;
        const { title, record, signs } = read, about = description || descriptionOf(read.about);
        return { ...none, asRecord: { ...metadata, title, description: about, record }, signs };
      }),
  );
}

/** The text of `<h1>` in the first lines of a document without a heading of the first level. */
function htmlTitle(lines: readonly string[], prose: readonly number[]): string | undefined {
  const at = prose.slice(0, 20).find((index) => lines[index]!.startsWith("<h1"));
  return at === undefined ? undefined : /^<h1[^<>]*>([^<]+)<\/h1>/.exec(lines[at]!)?.[1]?.trim() || undefined;
}

/** Cuts a text at `MAX_DESCRIPTION` characters. A text that is cut ends with "…". */
export function shorten(text: string): string {
  // A string has at most as many characters as UTF-16 units, so most need no counting.
  const characters = text.length <= MAX_DESCRIPTION ? [] : Array.from(text);
  if (characters.length <= MAX_DESCRIPTION) return text;
  return characters.slice(0, MAX_DESCRIPTION - 1).join("").trim() + "…";
}
