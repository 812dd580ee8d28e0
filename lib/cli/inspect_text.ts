/** How does a person read what a server says? Nothing that a server writes steers the terminal. */

import type { ChangeEvent, ChangeFilter } from "../client/changes.ts";
import type {
  ContentBlock,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from "../client/results.ts";
import type { Members } from "../client/value.ts";
import { isObject } from "../base/json.ts";
import { oneLine } from "./log.ts";

/** What is known of a server. */
export interface Facts {
  readonly server: Members;
  readonly era: string;
  readonly version: string;
  readonly capabilities: Members;
  readonly instructions: string | undefined;
  readonly connectMs: number;
}

/** How wide the names in a list get, in characters. */
const MAX_WIDTH = 48;
/** How much of a description is shown, in characters. */
const MAX_DESCRIPTION = 100;

/** Who has answered, in one line. */
export function head({ server, era, version, connectMs }: Facts): string {
  const name = [server["name"] ?? "a server without a name", server["version"]].filter(Boolean).join(" ");
  return oneLine(`${name}: revision ${version} (${era}), connected in ${connectMs} ms`);
}

/** An answer, as it is read. */
export function toText(
  kind: "list" | "read" | "prompt" | "call",
  facts: Facts,
  answer: Members,
  answerMs: number,
): string {
  // deno-lint-ignore no-explicit-any -- the client has looked at its shape
  const result = answer["result"] as any;
  switch (kind) {
    case "list":
      return listed(facts, answer, answerMs);
    case "read":
      return result.contents.filter(isObject).map(contents).join("");
    case "prompt":
      return result.messages.filter(isObject).map(
        ({ role, content }: { role: string; content: ContentBlock }) => {
          return `--- ${oneLine(String(role))} ---\n${block(content)}`;
        },
      ).join("\n");
    case "call":
      return called(result);
  }
}

function called(result: { content: ContentBlock[]; structuredContent?: unknown; isError?: boolean }): string {
  const failed = result.isError === true ? "The tool has failed:\n" : "";
  const structured = result.structuredContent === undefined
    ? ""
    : `--- structuredContent ---\n${lines(JSON.stringify(result.structuredContent, null, 2))}`;
  return failed + result.content.map(block).join("") + structured;
}

function listed(facts: Facts, answer: Members, answerMs: number): string {
  const { capabilities, instructions } = facts;
  const head1 = `${head(facts)}; listed in ${answerMs} ms\n`;
  const can = Object.entries(capabilities).map(([name, details]) => {
    const more = Object.keys(Object(details));
    return more.length === 0 ? name : `${name} (${more.join(", ")})`;
  });
  const tools = (answer["tools"] ?? []) as Tool[];
  const resources = (answer["resources"] ?? []) as Resource[];
  const templates = (answer["resourceTemplates"] ?? []) as ResourceTemplate[];
  const prompts = (answer["prompts"] ?? []) as Prompt[];
  return head1 +
    `capabilities: ${oneLine(can.join(", ")) || "none"}\n` +
    (typeof instructions !== "string" ? "" : `instructions: ${cut(instructions, 400)}\n`) +
    table("tools", tools.map((tool) => [tool.name, ...describe(tool)])) +
    table("resources", resources.map((resource) => [resource.uri, ...describe(resource, resource.name)])) +
    table(
      "resource templates",
      templates.map((template) => [template.uriTemplate, ...describe(template, template.name)]),
    ) +
    table("prompts", prompts.map((prompt) => [signature(prompt), ...describe(prompt)]));
}

function describe(thing: { title?: string; description?: string }, name?: string): string[] {
  const text = [thing.description, thing.title, name].find((said) => typeof said === "string");
  return [cut(text ?? "", MAX_DESCRIPTION)];
}

function signature(prompt: Prompt): string {
  // Some servers write null for what they leave out.
  const args = (Array.isArray(prompt.arguments) ? prompt.arguments : []).filter(isObject);
  return [prompt.name, ...args.map(({ name, required }) => required ? `${name}=…` : `[${name}=…]`)].join(" ");
}

function table(title: string, rows: string[][]): string {
  if (rows.length === 0) return "";
  const names = rows.map(([name]) => oneLine(String(name)));
  const width = Math.min(MAX_WIDTH, Math.max(...names.map((name) => name.length)));
  const body = rows.map(([, description], index) =>
    `  ${names[index]!.padEnd(width)}  ${description}`.trimEnd()
  );
  return `\n${title} (${rows.length})\n${body.join("\n")}\n`;
}

/** What a stream of changes tells of. */
export function watching({ tools, prompts, resources, uris = [] }: ChangeFilter): string {
  const told = [
    ...(tools ? ["tools"] : []),
    ...(prompts ? ["prompts"] : []),
    ...(resources ? ["resources"] : []),
    ...uris,
  ];
  return told.length === 0
    ? "The server tells of no changes."
    : oneLine(`Watching: ${told.join(", ")}. Ctrl-C ends it.`);
}

/** One change. */
export function change({ type, uri }: ChangeEvent): string {
  return type === "resource" ? oneLine(`changed: ${uri}`) : `there are other ${type}`;
}

function contents({ text, blob, mimeType }: ResourceContents): string {
  if (typeof text === "string") return lines(text);
  return `(${oneLine(mimeType ?? "bytes")}: ${String(blob ?? "").length} characters of Base64)\n`;
}

function block(content: ContentBlock): string {
  if (typeof content?.text === "string") return lines(content.text);
  if (content?.resource) return contents(content.resource);
  if (content?.type === "resource_link") return `(link to ${oneLine(String(content["uri"]))})\n`;
  return `(${oneLine(`${content?.type} ${content?.mimeType ?? ""}`)}: ${
    String(content?.data ?? "").length
  } characters of Base64)\n`;
}

/** A text with its lines, and with an end to the last one. */
function lines(text: string): string {
  const safe = text.split(/\r?\n/).map((line) => line.split("\t").map(oneLine).join("\t")).join("\n");
  return safe.endsWith("\n") ? safe : `${safe}\n`;
}

function cut(text: string, most: number): string {
  const line = oneLine(text.replace(/\s+/g, " ").trim());
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
