/** The tool that searches the operations of an API. */

import type { IndexField } from "../search/mod.ts";
import type { JsonObject } from "../base/json.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { Operation } from "./endpoint.ts";
import { shortened } from "../base/text.ts";
import { MAX_LIMIT, SearchIndex } from "../search/mod.ts";
import { defineTool } from "../mcp/server/define_tool.ts";
import { closedObject, READ_ONLY } from "./tool_definition.ts";

const MAX_HITS = 20;
/** The maximum length of a summary, in UTF-16 units. */
const MAX_SUMMARY = 160;

const TEXT = { type: "string" } as const;
const HIT = { name: TEXT, method: TEXT, path: TEXT, summary: TEXT };

/** Words of a query that say nothing about an operation. */
const EMPTY_WORDS =
  /\b(?:an?|the|of|to|in|for|by|from|with|at|as|is|are|am|do|does|did|can|i|my|me|we|our|it|this|that|and|or|into|how)\b/gi;

/** Words that people use for words in names and paths. */
const SYNONYMS = new Map(
  ("list:all,every,show,which;get:show,see,read,view,look,what;create:add,new,make,open,write,start,put;" +
    "update:change,edit,modify,set,rename;delete:remove,erase,drop;search:find,look,query;send:write,post;" +
    "merge:combine,join,unite;reply:answer,respond;add:put,insert;user:person,people,who;me:my,own,current")
    .split(";").map((line) => line.split(":") as [string, string]),
);
const VERBS: JsonObject = { POST: "create", PUT: "update", PATCH: "update" };

export function searchOperations(endpoints: readonly Operation[]): Tool {
  const entries = endpoints.map((endpoint) => {
    const { name, path, method, title = "" } = endpoint;
    const segments = path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
    const isList = method === "GET" && !path.endsWith("}");
    const verb = String(VERBS[method] ?? (isList ? "list" : method.toLowerCase()));
    const last = segments.at(-1) ?? "";
    // All operations except lists are about one thing: make the plural a singular.
    const subject = isList ? last : last.replace(/(?<=[^sui])s$/, "");
    const words = `${name} ${path} ${title}`.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
    const terms = new Set([verb, ...words.split(/s?(?:[^a-z]+|$)/)]);
    const synonyms = [verb, ...Array.from(terms, (term) => SYNONYMS.get(term) ?? "")].join(" ");
    return { key: name, fingerprint: 0, endpoint, segments, subject, synonyms };
  });
  const piece = (field: IndexField, text = "") => ({
    field,
    text,
    line: 0,
    heading: undefined,
    continues: false,
  });
  const index = new SearchIndex<(typeof entries)[number]>({
    size: ({ endpoint }) => endpoint.description.length,
    text: ({ endpoint }) => endpoint.description,
    pieces: ({ endpoint: { name, title, method, tags, description }, segments, subject, synonyms }) => [
      piece("title", title),
      piece("title", subject),
      ...[name, method, synonyms, ...tags, ...segments.slice(0, -1)].map((text) => piece("tags", text)),
      piece("body", description),
    ],
    boost: ({ endpoint }) => 1 / (1 + 0.12 * endpoint.path.split("/").length),
    plain: (text) => text,
  });
  return defineTool({
    name: "search_operations",
    title: "Search the operations of the API",
    description:
      `Searches the ${endpoints.length} operations of the API by words of their names, paths, tags and descriptions, ` +
      "best match first. Then read the arguments with describe_operation, and call the operation with call_operation.",
    inputSchema: closedObject(["query"], {
      query: { type: "string", minLength: 1, maxLength: 500, description: "Words for what you want to do" },
      limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `Default: ${MAX_HITS}` },
    }),
    outputSchema: closedObject(["operations", "total"], {
      operations: { type: "array", items: closedObject(["name", "method", "path", "summary"], HIT) },
      total: { type: "integer", description: "The number of operations with any of the words" },
    }),
    annotations: READ_ONLY,
    async handler({ query, limit = MAX_HITS }, { signal }) {
      await index.update(entries);
      const words = query.replace(EMPTY_WORDS, " ");
      const options = { limit, signal, refined: false };
      const { hits, total } = await index.search(/\w/.test(words) ? words : query, options);
      const operations = hits.map(({ document: { endpoint } }) => {
        const { name, method, path, title, description } = endpoint;
        const summary = shortened(title ?? description.split("\n", 1)[0]!, MAX_SUMMARY);
        return { name, method, path, summary };
      });
      return { operations, total };
    },
  });
}
