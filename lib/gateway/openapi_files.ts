/** Parses OpenAPI documents, JSON or YAML, with the files that they refer to. */

import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { escapeToken } from "../base/pointer.ts";
import { uriDecoded } from "../base/text.ts";
import { readYaml, YamlError } from "../formats/yaml.ts";
import { GatewayError, recover } from "./errors.ts";

/** Gives access to the files that a document refers to. */
export interface OpenApiFiles {
  /** The name of the file of the document. */
  readonly name: string;
  /** The text of a file, by its path relative to the folder of the document. @throws {GatewayError} When it cannot be read. */
  read(path: string): string;
  /** Called with each file that cannot be read or parsed. */
  onskip?(path: string, error: GatewayError): void;
}

/** Parses a JSON or YAML document and includes the `files` that it refers to. @throws {GatewayError} When it is neither. */
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

/** The member of a document that holds the included files by their paths. */
const FILES = "x-files";

/** Includes the files that references point to, and rewrites these references. References to files that cannot be read are kept. */
function include(root: JsonObject, { name, read, onskip }: OpenApiFiles): void {
  const files = new Map<string, unknown>();
  const seen = new Set<object>();
  const waiting: (readonly [value: unknown, path: string])[] = [[root, name]];
  /** Includes the file of a reference, and returns the rewritten reference. */
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
    // YAML aliases share values.
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const one of Object.values(value)) waiting.push([one, path]);
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string") Object.assign(value, { $ref: placed($ref, path) });
  }
  if (files.size > 0) Object.assign(root, { [FILES]: Object.fromEntries(files) });
}

/** Resolves a reference in the file `from` to a path relative to the folder of the document; undefined if it is outside. */
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
