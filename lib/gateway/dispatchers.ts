/** Three tools for APIs with too many operations to list: search them, describe one, call one. */

import type { Tool } from "../server/tool.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointCall, Surroundings } from "./orchestrator.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { annotations, endpointCall, serverTimeoutMs } from "./orchestrator.ts";
import { inputSchemaOf } from "./tool_schemas.ts";
import { isTooDeep } from "./outcome.ts";

/** How many operations a search shows. */
const MAX_HITS = 20;
/** How much of a description a search shows, in characters. */
const MAX_SUMMARY = 160;

/** Makes the three tools. */
export function dispatchers(endpoints: readonly Endpoint[], around: Surroundings): Tool[] {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  return [search(endpoints), describe(byName), call(byName, around)];
}

function unknownOperation(name: string): ToolValidationError {
  return new ToolValidationError(`There is no operation "${name}"; look for one with search_operations`);
}

const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

function search(endpoints: readonly Endpoint[]): Tool {
  const entries = endpoints.map((endpoint) => ({ endpoint, words: wordsOf(endpoint) }));
  return defineTool({
    name: "search_operations",
    title: "Search the operations of the API",
    description:
      `Finds operations of the API, of which there are ${endpoints.length}, by words of their names, paths, tags ` +
      "and descriptions, the best first. Then read what one takes with describe_operation, and call it with call_operation.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500, description: "Words of what is to be done" },
        limit: { type: "integer", minimum: 1, maximum: 100, description: `${MAX_HITS} unless given` },
      },
      required: ["query"],
    },
    outputSchema: {
      type: "object",
      properties: {
        operations: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string" },
              method: { type: "string" },
              path: { type: "string" },
              summary: { type: "string" },
            },
            required: ["name", "method", "path", "summary"],
          },
        },
        total: { type: "integer", description: "How many operations have any of the words" },
      },
      required: ["operations", "total"],
    },
    annotations: READ_ONLY,
    handler({ query, limit = MAX_HITS }) {
      const asked = [...new Set(split(query))];
      const hits = entries.map(({ endpoint, words }) => ({ endpoint, score: score(asked, words) }))
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score);
      const operations = hits.slice(0, limit).map(({ endpoint }) => ({
        name: endpoint.name,
        method: endpoint.method,
        path: endpoint.path,
        summary: summaryOf(endpoint),
      }));
      return { operations, total: hits.length };
    },
  });
}

function describe(byName: ReadonlyMap<string, Endpoint>): Tool {
  return defineTool({
    name: "describe_operation",
    title: "Describe an operation of the API",
    description: "Says what an operation takes and answers, as JSON Schema.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", description: "As search_operations gives it" } },
      required: ["name"],
    },
    annotations: READ_ONLY,
    handler({ name }) {
      const endpoint = byName.get(name);
      if (!endpoint) throw unknownOperation(name);
      const { title, description, method, path, isSafe, response } = endpoint;
      const value = {
        name,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        method,
        path,
        annotations: annotations(method, isSafe),
        inputSchema: inputSchemaOf(endpoint),
        ...(response ? { response: { schema: response.schema, $defs: response.definitions } } : {}),
      };
      return new ToolResult([text(JSON.stringify(value))], { value: isTooDeep(value) ? undefined : value });
    },
  });
}

/** Calls any operation: with its checks, its time and its consent, as its own tool would. */
function call(byName: ReadonlyMap<string, Endpoint>, around: Surroundings): Tool {
  const endpoints = [...byName.values()];
  const calls = new Map<string, EndpointCall>();
  const isSafe = endpoints.every((endpoint) => endpoint.isSafe);
  return defineTool({
    name: "call_operation",
    title: "Call an operation of the API",
    description:
      "Calls an operation with its arguments, which are checked against what describe_operation says of it." +
      (isSafe
        ? ""
        : " An operation that changes something answers with a plan first, which has to be confirmed."),
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "As search_operations gives it" },
        arguments: {
          type: "object",
          description: "As the inputSchema of the operation says",
          additionalProperties: true,
        },
      },
      required: ["name"],
    },
    annotations: isSafe ? annotations("GET", true) : annotations("POST", false),
    timeoutMs: Math.max(...endpoints.map((endpoint) => serverTimeoutMs(endpoint, around))),
    handler({ name, arguments: args = {} }, context) {
      let found = calls.get(name);
      if (!found) {
        const endpoint = byName.get(name);
        if (!endpoint) throw unknownOperation(name);
        calls.set(name, found = endpointCall(endpoint, around));
      }
      return found(args, context);
    },
  });
}

/** The words of an endpoint, with what they count: a name says more than a description. */
function wordsOf(
  { name, title = "", description = "", method, path, tags }: Endpoint,
): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of split(text)) words.set(word, Math.max(weight, words.get(word) ?? 0));
  };
  add(description, 1);
  add(tags.join(" "), 3);
  add(path, 3);
  add(`${name} ${title} ${method}`, 4);
  return words;
}

function score(asked: readonly string[], words: ReadonlyMap<string, number>): number {
  let sum = 0;
  let found = 0;
  for (const word of asked) {
    const weight = words.get(word) ?? words.get(`${word}s`) ?? words.get(word.replace(/s$/, "")) ?? 0;
    sum += weight;
    if (weight > 0) found++;
  }
  // An operation that has all of the words comes before one that has one of them often; a short one before a long one.
  return found === 0 ? 0 : found * 10 + sum + 1 / (1 + words.size);
}

/** Words in lower case; `listOrgRepos` and `list_org_repos` are three. */
function split(text: string): string[] {
  return text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function summaryOf({ title, description = "" }: Endpoint): string {
  const line = title ?? description.trim().split("\n", 1)[0]!;
  return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY).toWellFormed()}…`;
}
