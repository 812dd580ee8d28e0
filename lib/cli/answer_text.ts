/** Answers of any server as text for people, without control characters. */

import type { JsonObject, Named, Result } from "../mcp/client/mod.ts";
import { asArray, asObject, isObject } from "../base/json.ts";
import { printable, shortened } from "../base/text.ts";
import { PLAIN_TABLE, rowsText, safeText } from "./table.ts";

/** Maximum length of the description of an item, in characters. */
const MAX_DESCRIPTION = 100;
/** Maximum length of the instructions of a server, in characters. */
const MAX_INSTRUCTIONS = 400;

export function listText(capabilities: JsonObject, instructions: unknown, lists: JsonObject): string {
  const names = Object.entries(capabilities).map(([name, details]) => {
    const more = Object.keys(Object(details));
    return more.length === 0 ? name : `${name} (${more.join(", ")})`;
  });
  const text = [`capabilities: ${printable(names.join(", ")) || "none"}\n`];
  if (typeof instructions === "string") {
    text.push(`instructions: ${paragraph(instructions, MAX_INSTRUCTIONS)}\n`);
  }
  for (const [name, items] of Object.entries(lists as Readonly<Record<string, readonly Named[]>>)) {
    if (items.length === 0) continue;
    const title = name === "resourceTemplates" ? "resource templates" : name;
    text.push(`\n${title} (${items.length})\n`, rowsText(items.map(toRow), PLAIN_TABLE));
  }
  return text.join("");
}

/** The URI or the signature of an item, and its description. */
function toRow(item: Named): [string, string] {
  const label = String(item["uriTemplate"] ?? item["uri"] ?? signature(item));
  const name = label.startsWith(item.name) ? "" : item.name;
  const text = [item.description, item.title, name].find((candidate) => typeof candidate === "string");
  return [label, paragraph(text ?? "", MAX_DESCRIPTION)];
}

/** How a prompt is called: "review code=… [language=…]". */
export function signature({ name, arguments: declared }: Named): string {
  // Some servers send null instead of leaving a member out.
  const args = asArray(declared).filter(isObject);
  return [name, ...args.map(({ name, required }) => required ? `${name}=…` : `[${name}=…]`)].join(" ");
}

/** The contents of a resource, the messages of a prompt, or the result of a tool. */
export function resultText({ contents, messages, content, structuredContent, isError }: Result): string {
  const parts = asArray(contents ?? content).map(partText).join("");
  const said = asArray(messages).filter(isObject).map(({ role, content }) =>
    `--- ${printable(String(role))} ---\n${partText(content)}`
  ).join("\n");
  const data = structuredContent === undefined
    ? ""
    : `--- structuredContent ---\n${safeText(JSON.stringify(structuredContent, null, 2))}`;
  return `${isError === true ? "The tool has failed:\n" : ""}${said}${parts}${data}`;
}

/** The contents of a resource, or a block of content: its text, or a short description of anything else. */
function partText(part: unknown): string {
  const { type, text, resource, mimeType = "", data, blob = data, uri } = asObject(part);
  if (typeof text === "string") return safeText(text);
  if (resource) return partText(resource);
  if (type === "resource_link") return `(link to ${printable(String(uri))})\n`;
  // A block of an unknown type.
  if (blob === undefined) return safeText(JSON.stringify(part, null, 2));
  const what = printable(`${type ?? "bytes"} ${mimeType}`.trim());
  return `(${what}: ${String(blob ?? "").length} characters of Base64)\n`;
}

function paragraph(text: string, most: number): string {
  return shortened(printable(text.replace(/\s+/g, " ").trim()), most);
}
