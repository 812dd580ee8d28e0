/**
 * At which place a search over the tools of many servers has ours, for phrasings of "which decisions apply here".
 *
 *     node --experimental-strip-types --no-warnings test/bench/reach/tool_search.ts TOOLS.json [--with FILE.json]
 *
 * Clients that defer tools show the model a search over them. Two are simulated: BM25 over the name, the description and the
 * hint (`_meta["anthropic/searchHint"]`) of each tool, and the points that Claude Code 2.1.332 gives for each word of a query
 * (see `pointsOf`). `PROGRAM` names another `mod.ts`. `--with` replaces descriptions and hints of our tools, to try others:
 * `{"decisions_for": {"description": "...", "hint": "..."}}`.
 *
 * TOOLS.json has the tools of other servers: `[{"server", "version", "tools": [{"name", "description", "hint"?}]}]`. It stays
 * outside this repository. How it was made, in November 2026: of 118 npm packages with MCP servers, those with most downloads and
 * those that are about memory, decisions, guidelines or standards, 105 gave tools (2,485). 47 were installed without scripts,
 * started with false keys, and asked for `tools/list`; of the others, the names and descriptions were read from the sources
 * in the package.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ServerProcess } from "../process.ts";

interface Tool {
  name: string;
  description: string;
  hint?: string;
}

interface Listed extends Tool {
  server: string;
}

/** The second list is not for choosing words by: it shows how well words chosen for the first do for other phrasings. */
const PHRASINGS: Record<string, string[]> = { phrasings: [
  "which decisions apply here",
  "architecture decisions for this file",
  "ADR",
  "architecture decision records",
  "which ADR covers this file",
  "decision records that affect this file",
  "team decisions for the files I change",
  "design decisions for src/db/pool.ts",
  "check decisions before editing",
  "rules that apply before edit",
  "project rules for file",
  "architecture rules for changed files",
  "coding guidelines for path",
  "coding standards for this file",
  "patterns and guidelines for path",
  "conventions for this directory",
  "team conventions before I write code",
  "constraints before changing code",
  "what must I not do in this module",
  "policies that apply to these files",
], "other phrasings": [
  "what did the team decide about this file",
  "find relevant ADRs before modifying code",
  "guidelines for editing src/payments",
  "is there a rule against using this library",
  "project conventions and rules lookup",
  "get architecture guidance for a file path",
  "decision log",
  "technical decisions records search",
  "best practices for this repo file",
  "forbidden imports or dependencies in this project",
  "style guide for component folder",
  "which patterns should I follow when changing this module",
  "engineering standards",
  "applicable rules for path",
  "ADR lookup by path",
  "check for governing decisions",
  "code ownership rules and decisions",
  "before I edit files: team rules",
  "architectural constraints",
  "MADR decision records",
]};

/** BM25: saturation of repeated words, and how much long texts lose. */
const K1 = 1.2, B = 0.75;
const OURS = "architrave";

const { values, positionals: [path] } = parseArgs({
  allowPositionals: true,
  options: { with: { type: "string" } },
});
if (path === undefined) throw new Error("name the JSON file with the tools of other servers");
const repository = resolve(import.meta.dirname, "../../..");
const program = process.env["PROGRAM"] ?? join(repository, "mod.ts");

/** The words of a text: parts of names are words, and a plural counts as its singular. */
function wordsOf(text: string): string[] {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.length > 3 ? word.replace(/(?<!s)s$/, "") : word);
}

/** The tools that our server lists. */
async function ourTools(): Promise<Listed[]> {
  const args = ["--experimental-strip-types", "--no-warnings", program, "--root", join(repository, "mcp")];
  const server = new ServerProcess(process.execPath, args);
  try {
    await server.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "tool-search", version: "1" },
    });
    server.notify("notifications/initialized");
    const { tools } = await server.request<{ tools: (Tool & { _meta?: Record<string, unknown> })[] }>("tools/list", {});
    return tools.map(({ name, description, _meta }) => {
      const hint = _meta?.["anthropic/searchHint"];
      return { server: OURS, name, description, ...typeof hint === "string" ? { hint } : {} };
    });
  } finally {
    await server.stop();
  }
}

/** Ranks texts by BM25; those without a word of the query are left out. */
function ranker(texts: readonly string[]): (query: string) => number[] {
  const documents = texts.map((text) => {
    const counts = new Map<string, number>(), words = wordsOf(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: words.length };
  });
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const holders = new Map<string, number>();
  for (const { counts } of documents) {
    for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  const weightOf = (word: string): number => {
    const count = holders.get(word) ?? 0;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  return (query) => {
    const words = [...new Set(wordsOf(query))];
    const scores = documents.map(({ counts, length }) =>
      words.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        return sum + weightOf(word) * count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean));
      }, 0)
    );
    return [...scores.keys()].filter((index) => scores[index]! > 0).sort((a, b) => scores[b]! - scores[a]!);
  };
}

/**
 * The points that Claude Code 2.1.332 gives a tool, a word at a time: 12 for a part of the name of the server or the tool, 6 if it is
 * in a part; 12 for a whole name, 4 if it is in one; 4 for a word of the hint; 2 for a word of the description.
 */
function pointsOf({ server, name, description, hint = "" }: Listed, query: string): number {
  const names = [server, name].map((one) => one.toLowerCase());
  const parts = names.flatMap((one) => one.split(/[\s_.]+/));
  const has = (text: string, word: string): boolean =>
    new RegExp(`\\b${word.replace(/[^\p{L}\p{N}]/gu, "[$&]").replace("[^]", "[\\^]")}\\b`).test(text.toLowerCase());
  return query.toLowerCase().split(/\s+/).reduce((points, word) => {
    if (parts.includes(word)) points += 12;
    else if (parts.some((part) => part.includes(word))) points += 6;
    if (names.includes(word)) points += 12;
    else if (names.some((one) => one.includes(word))) points += 4;
    return points + (has(hint, word) ? 4 : 0) + (has(description, word) ? 2 : 0);
  }, 0);
}

const changes = values.with === undefined
  ? {}
  : JSON.parse(readFileSync(values.with, "utf8")) as Record<string, Partial<Tool>>;
const ours = (await ourTools()).map((tool) => ({ ...tool, ...changes[tool.name] }));
const servers = JSON.parse(readFileSync(path, "utf8")) as { server: string; tools: Tool[] }[];
const others = servers.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server })));
const all: Listed[] = [...ours, ...others];
const byWords = ranker(all.map(({ name, description, hint = "" }) => `${name} ${description} ${hint}`));
const SEARCHES: Record<string, (query: string) => Listed[]> = {
  "BM25": (query) => byWords(query).map((index) => all[index]!),
  "the points of Claude Code": (query) => {
    const points = new Map(all.map((tool) => [tool, pointsOf(tool, query)]));
    return all.filter((tool) => points.get(tool)! > 0).sort((a, b) => points.get(b)! - points.get(a)!);
  },
};
const place = (index: number): string => index < 0 ? "none" : String(index + 1);

console.log(`${all.length} tools of ${servers.length + 1} servers`);
for (const [name, search] of Object.entries(SEARCHES)) {
  for (const [list, phrasings] of Object.entries(PHRASINGS)) {
    console.log(`\n| ${list}, by ${name} | decisions_for | first of ours | first tool |\n| --- | ---: | ---: | --- |`);
    let first = 0, oursFirst = 0;
    for (const phrasing of phrasings) {
      const tools = search(phrasing);
      const own = tools.findIndex(({ server, name }) => server === OURS && name === "decisions_for");
      const any = tools.findIndex(({ server }) => server === OURS);
      if (own === 0) first++;
      if (any === 0) oursFirst++;
      const top = tools[0] === undefined ? "" : `${tools[0].server}: ${tools[0].name}`;
      console.log(`| ${phrasing} | ${place(own)} | ${place(any)} | ${top} |`);
    }
    console.log(`\ndecisions_for is first for ${first} of ${phrasings.length}, one of ours for ${oursFirst}.`);
  }
}
