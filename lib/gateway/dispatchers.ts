/** Three tools for APIs with too many operations to list: search them, describe one, call one. */

import type { Field, Piece } from "../search/mod.ts";
import type { Tool } from "../server/tool.ts";
import type { EndpointCall, Shared } from "./call.ts";
import type { Operation } from "./endpoint.ts";
import { shortened } from "../base/text.ts";
import { MAX_LIMIT, SearchIndex } from "../search/mod.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { annotations, endpointCall, isTooDeep, serverTimeoutMs } from "./call.ts";
import { inputSchemaOf, objectOf } from "./schemas.ts";

/** How many operations a search returns. */
const MAX_HITS = 20;
/** How much of a description a search shows, in characters. */
const MAX_SUMMARY = 160;

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const NAME = { type: "string", description: "As search_operations gives it" } as const;
const TEXT = { type: "string" } as const;
const HIT = { name: TEXT, method: TEXT, path: TEXT, summary: TEXT };

/** Makes the three tools. */
export function dispatchers(endpoints: readonly Operation[], shared: Shared): Tool[] {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const find = (name: string): Operation => {
    const endpoint = byName.get(name);
    if (endpoint) return endpoint;
    throw new ToolValidationError(`There is no operation "${name}"; look for one with search_operations`);
  };
  return [search(endpoints), describe(find), call(endpoints, find, shared)];
}

function search(endpoints: readonly Operation[]): Tool {
  const entries = endpoints.map((endpoint) => ({ key: endpoint.name, fingerprint: 0, endpoint }));
  const index = new SearchIndex<(typeof entries)[number]>({
    size: ({ endpoint }) => endpoint.description.length,
    text: ({ endpoint }) => endpoint.description,
    pieces: ({ endpoint }) => piecesOf(endpoint),
    boost: () => 1,
    plain: (text) => text,
  });
  return defineTool({
    name: "search_operations",
    title: "Search the operations of the API",
    description:
      `Finds operations of the API, of which there are ${endpoints.length}, by words of their names, paths, tags ` +
      "and descriptions, the best first. Then read what one takes with describe_operation, and call it with call_operation.",
    inputSchema: objectOf(["query"], {
      query: { type: "string", minLength: 1, maxLength: 500, description: "Words of what is to be done" },
      limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `${MAX_HITS} unless given` },
    }),
    outputSchema: objectOf(["operations", "total"], {
      operations: { type: "array", items: objectOf(["name", "method", "path", "summary"], HIT) },
      total: { type: "integer", description: "How many operations have any of the words" },
    }),
    annotations: READ_ONLY,
    async handler({ query, limit = MAX_HITS }) {
      await index.update(entries);
      const { hits, total } = await index.search(query, { limit });
      const operations = hits.map((
        { document: { endpoint: { name, method, path, title, description } } },
      ) => ({
        name,
        method,
        path,
        summary: shortened(title ?? description.split("\n", 1)[0]!, MAX_SUMMARY),
      }));
      return { operations, total };
    },
  });
}

function describe(find: (name: string) => Operation): Tool {
  return defineTool({
    name: "describe_operation",
    title: "Describe an operation of the API",
    description: "Says what an operation takes and answers, as JSON Schema.",
    inputSchema: objectOf(["name"], { name: NAME }),
    annotations: READ_ONLY,
    handler({ name }) {
      const endpoint = find(name);
      const { title, description, method, path, isSafe, response } = endpoint;
      const json = JSON.stringify({
        name,
        title,
        description,
        method,
        path,
        annotations: annotations(method, isSafe),
        inputSchema: inputSchemaOf(endpoint),
        response: response && { schema: response.schema, $defs: response.definitions },
      });
      const value: unknown = JSON.parse(json);
      return new ToolResult([text(json)], { value: isTooDeep(value) ? undefined : value });
    },
  });
}

/** Calls any operation: with its checks, its time and its consent, as its own tool would. */
function call(endpoints: readonly Operation[], find: (name: string) => Operation, shared: Shared): Tool {
  const calls = new Map<string, EndpointCall>();
  const isSafe = endpoints.every((endpoint) => endpoint.isSafe);
  const checked =
    "Calls an operation with its arguments, which are checked against what describe_operation says of it.";
  const consent =
    " An operation that changes something answers with a plan first, which has to be confirmed.";
  return defineTool({
    name: "call_operation",
    title: "Call an operation of the API",
    description: isSafe ? checked : checked + consent,
    inputSchema: objectOf(["name"], {
      name: NAME,
      arguments: {
        type: "object",
        description: "As the inputSchema of the operation says",
        additionalProperties: true,
      },
    }),
    annotations: annotations(isSafe ? "GET" : "POST", isSafe),
    timeoutMs: Math.max(...endpoints.map((endpoint) => serverTimeoutMs(endpoint, shared))),
    handler({ name, arguments: args = {} }, context) {
      let found = calls.get(name);
      if (!found) calls.set(name, found = endpointCall(find(name), shared));
      return found(args, context);
    },
  });
}

/** What is searched of an operation. */
function piecesOf({ name, title, description, method, path, tags }: Operation): Piece[] {
  const texts: readonly [Field, string | undefined][] = [
    ["title", name],
    ["title", title],
    ["title", method],
    ["tags", tags.join(", ")],
    ["tags", path],
    ["body", description],
  ];
  return texts.map(([field, text = ""]) => ({ field, text, line: 0, heading: undefined, continues: false }));
}
