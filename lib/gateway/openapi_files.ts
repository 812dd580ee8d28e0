/** Parses OpenAPI documents, JSON or YAML, with the files that they refer to. */

import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { escapeToken } from "../base/pointer.ts";
import { uriDecoded } from "../base/text.ts";
import { readYaml, YamlError } from "../formats/yaml.ts";
import { GatewayError, recover } from "./errors.ts";

/** The files that a document may refer to. */
export interface OpenApiFiles {
  /** The name of the document's own file. */
  readonly name: string;
  /** The text of a file, by its path from the folder of the document. @throws {GatewayError} When it cannot be read. */
  read(path: string): string;
  /** Called with each file that cannot be read or parsed. */
  onskip?(path: string, error: GatewayError): void;
}

/** Parses a document, JSON or YAML, and takes in the `files` that it refers to. @throws {GatewayError} When it is neither. */
export function parseOpenApi(text: string, files?: OpenApiFiles): unknown {
  const root = parse(text);
  if (files && isObject(root)) include(root, files);
  return root;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (json) {
    try {
      return readYaml(text);
    } catch (cause) {
      if (!(cause instanceof YamlError)) throw cause;
      const reason = /^\s*[{[]/.test(text) ? `JSON: ${(json as Error).message}` : `YAML: ${cause.message}`;
      throw new GatewayError(`It is not ${reason}`, undefined, { cause });
    }
  }
}

/** The member of a document that holds the files it refers to, by their path. */
const FILES = "x-files";

/** Adds the files that references lead to, and changes the references. What cannot be read is left as it is. */
function include(root: JsonObject, { name, read, onskip }: OpenApiFiles): void {
  const files = new Map<string, unknown>();
  const seen = new Set<object>();
  const waiting: (readonly [value: unknown, path: string])[] = [[root, name]];
  /** Takes in the file of a reference, and returns the reference to that within the document. */
  const placed = (reference: string, from: string): string => {
    const [, file, fragment = ""] = /^([^#]*)(?:#((?:\/.*)?))?$/s.exec(reference) ?? [];
    const path = file === "" ? from : file && pathOf(file, from);
    if (path === undefined) return reference;
    if (path === name) return `#${fragment}`;
    if (!files.has(path)) {
      files.set(path, recover(() => parse(read(path)), (error) => onskip?.(path, error)));
      waiting.push([files.get(path), path]);
    }
    const place = encodeURIComponent(escapeToken(path));
    return files.get(path) === undefined ? reference : `#/${FILES}/${place}${fragment}`;
  };
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, path] = next;
    // Aliases share values.
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const one of Object.values(value)) waiting.push([one, path]);
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string") Object.assign(value, { $ref: placed($ref, path) });
  }
  if (files.size > 0) Object.assign(root, { [FILES]: Object.fromEntries(files) });
}

/** The path of a file that the file `from` refers to, from the folder of the document; undefined when it is not below that. */
function pathOf(reference: string, from: string): string | undefined {
  const file = uriDecoded(reference);
  if (file === undefined || /^(?:[a-z][a-z\d+.-]*:|\/)|[\\\0?]/i.test(file)) return undefined;
  const segments = from.split("/").slice(0, -1);
  for (const segment of file.split("/")) {
    if (segment !== ".." && segment !== "." && segment !== "") segments.push(segment);
    else if (segment === ".." && segments.pop() === undefined) return undefined;
  }
  return segments.join("/");
}
