/**
 * How well operations are found: `search_operations` against MiniSearch, on questions written without looking at the summaries.
 * Half of them are for tuning, and half are held back.
 *
 * node --experimental-strip-types test/bench/gateway/run.ts FOLDER [--all]
 *
 * FOLDER has the documents that questions.txt names, as "spotify.yaml" or "box.json". The questions for tuning that do not find
 * their operation first are listed; with --all, those that are held back too.
 */

import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import MiniSearch from "minisearch";
import type { Endpoint } from "../../../lib/gateway/mod.ts";
import { stemmer } from "@orama/stemmers/english";
import { createGateway, parseOpenApi, readOpenApi } from "../../../lib/gateway/mod.ts";
import { table } from "../../harness/table.ts";
import { connect } from "../../mcp/server/tool_client.ts";

type Part = "tuning" | "heldBack";
type Search = (question: string) => string[] | Promise<string[]>;

const STOP_WORDS = new Set("a,an,and,are,as,at,be,by,for,from,i,in,into,is,it,my,of,on,or,that,the,this,to,which,with".split(","));
const FIELDS = ["name", "title", "method", "path", "tags", "description"];
const SETUPS = [
  ["minisearch", false, false],
  ["minisearch, tolerant", false, true],
  ["minisearch, stemmer and stop words", true, false],
  ["minisearch, all of that", true, true],
] as const;

/** The operations of a document, without what is not searched. */
function stripped(document: any): object {
  const paths = Object.entries(document.paths).map(([path, item]: [string, any]) => {
    const names = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name);
    const parameters = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
    const operations = Object.entries(item)
      .filter(([key]) => ["get", "put", "post", "patch", "delete"].includes(key))
      .map(([key, { operationId, summary, description, tags, deprecated }]: [string, any]) => [
        key,
        { operationId, summary, description, tags, deprecated, responses: {} },
      ]);
    return [path, { ...Object.fromEntries(operations), parameters }];
  });
  return { openapi: document.openapi, info: document.info, paths: Object.fromEntries(paths) };
}

function miniSearch(endpoints: readonly Endpoint[], isProcessed: boolean, isTolerant: boolean): Search {
  const index = new MiniSearch({
    fields: FIELDS,
    ...(isProcessed && {
      processTerm: (term: string) => STOP_WORDS.has(term.toLowerCase()) ? null : stemmer(term.toLowerCase()),
    }),
  });
  index.addAll(endpoints.map(({ name, title, method, path, tags, description }) => {
    const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
    const id = `${method} ${path}`;
    return { id, name: words, title, method, path: path.replaceAll("_", " "), tags: tags.join(" "), description };
  }));
  const options = { boost: { name: 2, title: 2, path: 2 }, ...(isTolerant && { prefix: true, fuzzy: 0.2 }) };
  return (question) => index.search(question, options).slice(0, 20).map(({ id }) => id as string);
}

async function architrave(gateway: ReturnType<typeof createGateway>): Promise<Search> {
  const client = await connect({ tools: gateway.tools, toolCalls: { burst: 1e6, perSecond: 1e6 } });
  return async (query) => {
    const { result } = await client.call("search_operations", { query, limit: 20 });
    const { operations } = result!["structuredContent"] as any;
    return operations.map(({ method, path }: Endpoint) => `${method} ${path}`);
  };
}

const [folder = ".", flag] = process.argv.slice(2);
const questions = table(readFileSync(new URL("questions.txt", import.meta.url), "utf8"));
const places = new Map<string, Record<Part, number[]>>();
for (const [name, ofDocument] of Map.groupBy(questions, ([name]) => name)) {
  const file = [".json", ".yaml"].map((end) => `${folder}/${name}${end}`).find(existsSync);
  if (file === undefined) throw new Error(`There is no ${name}.json or ${name}.yaml in ${folder}`);
  const base = "https://api.example.com";
  const description = readOpenApi(stripped(parseOpenApi(readFileSync(file, "utf8"))), { base });
  const gateway = createGateway({ description, base, maxTools: 0, allowDestructive: true });
  const searches: [string, Search][] = [["architrave", await architrave(gateway)]];
  for (const [setup, ...how] of SETUPS) searches.push([setup, miniSearch(gateway.endpoints, ...how)]);
  for (const [contender, search] of searches) {
    const found = places.get(contender) ?? { tuning: [], heldBack: [] };
    places.set(contender, found);
    for (const [, part, question, operations] of ofDocument) {
      const hits = await search(question);
      const at = hits.findIndex((hit) => operations.split(", ").includes(hit));
      found[part as Part].push(at < 0 ? Infinity : at + 1);
      if (contender === "architrave" && at !== 0 && (part === "tuning" || flag === "--all")) {
        console.log(`${part} ${name}: "${question}": ${at < 0 ? "not found" : at + 1}; first ${hits[0]}`);
      }
    }
  }
}
for (const part of ["tuning", "heldBack"] as const) {
  for (const [contender, found] of places) {
    const within = (most: number) => found[part].filter((place) => place <= most).length;
    const mrr = found[part].reduce((sum, place) => sum + 1 / place, 0) / found[part].length;
    const row = [1, 5, 20].map((most) => `hit@${most} ${within(most)}`).join(", ");
    console.log(`${part.padEnd(8)} ${contender.padEnd(36)} ${row} of ${found[part].length}, MRR ${mrr.toFixed(3)}`);
  }
}
