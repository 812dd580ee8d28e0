/**
 * Another reading of decision records, by the syntax trees of remark and the package yaml. It shares no code with the
 * program, so that both are unlikely to make the same mistake.
 */
import type { Heading, List, Nodes, Root, RootContent, Table } from "mdast";
import { toString } from "mdast-util-to-string";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { parse as parseYaml } from "yaml";

/** What a record states. */
export interface Reading {
  title: string;
  /** The text of its status. */
  status: string;
  date: string;
  supersedes: string[];
  supersededBy: string[];
  amends: string[];
  amendedBy: string[];
  relatesTo: string[];
}

export const RELATIONS = ["supersedes", "supersededBy", "amends", "amendedBy", "relatesTo"] as const;
type Relation = typeof RELATIONS[number];

/** A statement of a record: what it is about, its text and where its links lead. */
interface Statement {
  label: string;
  text: string;
  links: string[];
}

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter);

/** How records name their relations. */
const LABELS: Readonly<Record<Relation, string>> = {
  supersedes: "supersedes, supercedes, superseeds, replaces",
  supersededBy: "superseded, superseded by, superceded by, superseeded by, supersededby, superseded-by, superseeded-by, replaced by, replaced-by",
  amends: "amends",
  amendedBy: "amended by, amended-by, amendedby",
  relatesTo: "relates to, relatesto, related to, see also, see-also",
};
const RELATION_LABELS = Object.fromEntries(RELATIONS.flatMap((relation) => LABELS[relation].split(", ").map((label) => [label, relation])));
/** The headings of what stands before the body of a record. */
const HEAD = /^(?:meta|metadata|status|date|deciders|authors?|submitters?|change ?log|history|revision history|table of contents|contents)\b/i;
/** Headings that name a part of a record, not the record. */
const PARTS = /^(?:meta|metadata|summary|abstract|motivation|problem|context|status|introduction|overview|basic example)$/i;

/** The values of front matter or a YAML file, as texts. */
function yamlStatements(source: string): Statement[] {
  let values: unknown;
  try {
    values = parseYaml(source, { logLevel: "silent", schema: "failsafe", uniqueKeys: false });
  } catch {
    return [];
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) return [];
  return Object.entries(values).flatMap(([key, value]) => {
    const items = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
    return items.map((text: string) => {
      const tree = parser.parse(text);
      return { label: key.toLowerCase().trim(), text: clean(toString(tree)), links: linksOf(tree, new Map()) };
    });
  });
}

function clean(text: string): string {
  return text.replace(/<!--.*?-->/gs, "").replace(/\s+/g, " ").trim();
}

/** The text of a node; what is struck out does not count, and a picture counts by its text. */
function textOf(node: Nodes): string {
  if (node.type === "delete" || node.type === "html") return "";
  if (node.type === "break") return "\n";
  if ("children" in node) return node.children.map(textOf).join(node.type === "listItem" || node.type === "list" ? "\n" : "");
  return "value" in node ? node.value : "alt" in node ? node.alt ?? "" : "";
}

function linksOf(node: Nodes, definitions: ReadonlyMap<string, string>): string[] {
  if (node.type === "delete") return [];
  const own = node.type === "link" ? [node.url] : node.type === "linkReference" ? [definitions.get(node.identifier) ?? ""] : [];
  return [...own, ..."children" in node ? node.children.flatMap((child) => linksOf(child, definitions)) : []].filter(Boolean);
}

/** "Label: text", for each line of a node. */
function lineStatements(node: Nodes, definitions: ReadonlyMap<string, string>): Statement[] {
  const links = linksOf(node, definitions);
  const lines = textOf(node).split(/\n|(?<=\S) \| (?=\w+:)/);
  return lines.flatMap((line) => {
    const [, label, text] = /^\s*([A-Za-z][A-Za-z _-]{2,24}?)\s*:\s*(.*)$/s.exec(line) ?? /^\s*(Date)\s+(\d.*)$/.exec(line) ??
      /^\s*((?:super\w+|replace[sd]|amend\w+|relate[sd])(?: (?:by|to))?)\s+(.*)$/is.exec(line) ?? [];
    return label === undefined ? [] : [{ label: label.toLowerCase(), text: clean(text!), links: lines.length === 1 ? links : linksIn(line, node, definitions) }];
  });
}

/** The links of a node whose text stands in a line. */
function linksIn(line: string, node: Nodes, definitions: ReadonlyMap<string, string>): string[] {
  if (node.type === "link" || node.type === "linkReference") {
    return line.includes(textOf(node).split("\n")[0]!) ? linksOf(node, definitions) : [];
  }
  return "children" in node ? node.children.flatMap((child) => linksIn(line, child, definitions)) : [];
}

function* statementsOf(nodes: readonly RootContent[], definitions: ReadonlyMap<string, string>): Generator<Statement> {
  for (const node of nodes) {
    if (node.type === "paragraph") yield* lineStatements(node, definitions);
    if (node.type === "blockquote") yield* statementsOf(node.children as RootContent[], definitions);
    if (node.type === "list") yield* listStatements(node, definitions);
    if (node.type === "table") yield* tableStatements(node, definitions);
  }
}

function* listStatements(list: List, definitions: ReadonlyMap<string, string>): Generator<Statement> {
  for (const item of list.children) {
    const [first, ...others] = item.children;
    if (!first) continue;
    const inner = others.filter((node): node is List => node.type === "list");
    for (const statement of lineStatements(first, definitions)) {
      yield statement;
      if (statement.text !== "") continue;
      // "Superseded by:" with a list below it.
      for (const below of inner.flatMap((one) => one.children)) {
        yield { label: statement.label, text: clean(textOf(below)), links: linksOf(below, definitions) };
      }
    }
  }
}

function* tableStatements(table: Table, definitions: ReadonlyMap<string, string>): Generator<Statement> {
  for (const row of table.children) {
    const [name, value] = row.children;
    if (!name || !value) continue;
    const label = clean(textOf(name)).replace(/:$/, "").toLowerCase();
    yield { label, text: clean(textOf(value)), links: linksOf(value, definitions) };
  }
}

/** What says that there is nothing: "N/A", also in quotes or brackets, or the words of a template. */
const NOTHING = /^["“(]?(?:n\/?a|no|none|nothing|nil|tbd|todo|-+|–|—|null|~)?["”)]?\.?$|^\(?put "n\/a" unless\b/i;

/** Reads a record; `beside` is the text of its kep.yaml. */
export function readRecord(source: string, name: string, beside: string | undefined): Reading {
  const tree: Root = parser.parse(source.replace(/^\ufeff/, ""));
  const definitions = new Map(tree.children.flatMap((node) => node.type === "definition" ? [[node.identifier, node.url] as const] : []));
  const [first] = tree.children;
  const front = first?.type === "yaml" ? yamlStatements(first.value) : [];
  const nodes = first?.type === "yaml" ? tree.children.slice(1) : tree.children;
  const headings = nodes.filter((node): node is Heading => node.type === "heading");
  // Without a heading of level 1, one that opens the record is its title.
  const top = headings.find(({ depth }) => depth === 1) ?? headings.find((heading) => heading === nodes[0]);
  const titles = top && !PARTS.test(clean(textOf(top))) ? [clean(textOf(top))] : [];

  const isBody = (node: RootContent): boolean => node.type === "heading" && node !== top && !HEAD.test(clean(textOf(node)));
  const bodyAt = nodes.findIndex(isBody);
  const head = [...statementsOf(bodyAt < 0 ? nodes : nodes.slice(0, bodyAt), definitions)];
  const sections = [...sectionStatements(nodes, definitions)];
  const more = [...statementsOf(nodes.slice(Math.max(bodyAt, 0)).filter(({ type }) => type === "list"), definitions)]
    .filter(({ label, links }) => RELATION_LABELS[label] && links.length > 0);
  const own = [...front, ...beside === undefined ? [] : yamlStatements(beside), ...head, ...sections, ...more];
  const statements = own.flatMap((one) => one.label === "status" ? [one, ...phrasesOf(one.text, one.links)] : [one]);
  const stated = (...labels: string[]): string =>
    labels.flatMap((label) => statements.filter((one) => one.label === label && !NOTHING.test(one.text)))[0]?.text ?? "";
  const title = [front.find(({ label }) => label === "title")?.text, ...titles, head.find(({ label }) => label === "name")?.text, name];
  const relations = Object.fromEntries(RELATIONS.map((relation) => {
    const named = statements.filter(({ label, text }) => RELATION_LABELS[label] === relation && !NOTHING.test(text));
    return [relation, [...new Set(named.flatMap(({ text, links }) => links.length > 0 ? links : text.split(/,\s*|\s+and\s+/)))]];
  })) as Record<Relation, string[]>;
  return {
    title: title.find((one) => one)!,
    status: stated("status", "stage"),
    date: stated("date", "created", "start date", "start-date", "creation-date", "creation date"),
    ...relations,
  };
}

/** "Accepted, superseded by X" in the middle of a line. */
function phrasesOf(line: string, links: string[]): Statement[] {
  const [, phrase, text] = /\b((?:super[sc]e+ded|replaced|amended) by|super[sc]e+des|replaces|amends)\b:?\s*([^)]*)/is.exec(line) ?? [];
  return phrase ? [{ label: phrase.toLowerCase(), text: clean(text!), links }] : [];
}

/** The sections for the status and the date; each paragraph or item of one is a statement. */
function* sectionStatements(nodes: readonly RootContent[], definitions: ReadonlyMap<string, string>): Generator<Statement> {
  for (const [index, node] of nodes.entries()) {
    if (node.type !== "heading" || node.depth > 3) continue;
    const [, label, rest] = /^(?:\d+[.)]\s*)?(status|date)\b\s*:?\s*(.*)$/i.exec(clean(textOf(node))) ?? [];
    if (!label || (rest && !clean(textOf(node)).includes(":"))) continue;
    const end = nodes.findIndex((other, at) => at > index && other.type === "heading" && other.depth <= node.depth);
    const inside = nodes.slice(index + 1, end < 0 ? nodes.length : end);
    if (rest) yield { label: label.toLowerCase(), text: rest, links: [] };
    const plain = inside.filter(({ type }) => type === "paragraph" || type === "list" || type === "blockquote");
    const [first] = plain;
    if (first) yield { label: label.toLowerCase(), text: clean(textOf(first)), links: linksOf(first, definitions) };
    for (const one of plain) {
      // "Accepted, superseded by [X](x.md)" in the middle of a line.
      for (const part of one.type === "list" ? one.children : [one]) {
        yield* phrasesOf(textOf(part), linksOf(part, definitions));
      }
    }
  }
}
