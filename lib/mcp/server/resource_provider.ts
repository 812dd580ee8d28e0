/** A resource provider made of functions: single resources, and URI templates. */

import type { Awaitable } from "../../base/async.ts";
import type { TemplateValues } from "../../formats/uri_template.ts";
import type { ExecutionContext } from "./context.ts";
import type { Resource, ResourceContents, ResourceTemplate } from "../protocol/types.ts";
import type { ResourceProvider } from "./provider.ts";
import { andThen } from "../../base/async.ts";
import { toBase64 } from "../../base/base64.ts";
import { compact, freeze } from "../../base/json.ts";
import { repeated } from "../../base/text.ts";
import { uriTemplate } from "../../formats/uri_template.ts";
import { checkType } from "./shapes.ts";

/** What a reader returns: text, bytes, several contents, or undefined when the resource does not exist. */
export type Reading = Awaitable<string | Uint8Array | readonly ResourceContents[] | undefined>;

/** A resource and its reader. */
export interface ResourceDefinition extends Resource {
  /** Reads it. The context has a `sessionId` only if the transport has sessions. */
  read(context: ExecutionContext): Reading;
}

/** A resource template and its reader. */
export interface ResourceTemplateDefinition<Template extends string = string> extends ResourceTemplate {
  /** The template (RFC 6570): "clock://zone/{zone}". */
  readonly uriTemplate: Template;
  /** Reads the resource with these values. They are decoded, but not checked. */
  read(values: TemplateValues<Template>, context: ExecutionContext): Reading;
  /** The values of a variable, for completion. @default {none} */
  values?(variable: string, context: ExecutionContext): Awaitable<readonly string[]>;
}

/** Options of a provider. */
export interface ResourceProviderOptions<Templates extends readonly string[] = readonly string[]> {
  /** The single resources. @default {none} */
  readonly resources?: readonly ResourceDefinition[];
  /** The templates; the first one that matches a URI reads it. @default {none} */
  readonly templates?: { readonly [Index in keyof Templates]: ResourceTemplateDefinition<Templates[Index]> };
}

/**
 * Makes a resource provider of functions.
 *
 * @throws {TypeError} When a definition is invalid, two have the same URI, or a template cannot be parsed.
 * @example
 * ```ts
 * import { createServer, resourceProvider } from "@architrave/architrave/server";
 *
 * const clock = resourceProvider({
 *   resources: [{
 *     uri: "clock://now",
 *     name: "now",
 *     read: () => new Date().toISOString(),
 *   }],
 *   templates: [{
 *     uriTemplate: "clock://zone/{zone}",
 *     name: "zone",
 *     read: ({ zone }) => new Date().toLocaleString("en", { timeZone: zone }),
 *   }],
 * });
 * const server = createServer({ info: { name: "clock", version: "1.0.0" }, resources: [clock] });
 * ```
 */
export function resourceProvider<const Templates extends readonly string[]>(
  options: ResourceProviderOptions<Templates>,
): ResourceProvider {
  checkType(options, "provider options", "", (fault) => {
    throw new TypeError(`Cannot make a resource provider: ${fault}`);
  }, []);
  const byUri = new Map<string, ResourceDefinition>();
  const listed: Resource[] = [];
  for (const resource of options.resources ?? []) {
    const { read: _, ...item } = resource;
    requireShape(resource, "resource", item.uri);
    listed.push(freeze(structuredClone(item)));
    byUri.set(item.uri, resource);
  }
  listed.sort((left, right) => left.uri < right.uri ? -1 : 1);
  const compiled = (options.templates ?? []).map((definition) => {
    const { read: _, values: __, ...item } = definition;
    requireShape(definition, "template", item.uriTemplate);
    return { definition, template: freeze(structuredClone(item)), ...uriTemplate(item.uriTemplate) };
  });
  const templates = compiled.map(({ template }) => template);
  const names = [...listed.map(({ uri }) => uri), ...templates.map((template) => template.uriTemplate)];
  const twice = repeated(names);
  if (twice !== undefined) throw new TypeError(`Cannot serve two resources under the URI "${twice}"`);
  return {
    names,
    list: () => listed,
    templates: () => templates,
    read(uri, context) {
      const resource = byUri.get(uri);
      if (resource) return toContents(uri, resource, resource.read(context));
      for (const { definition, match } of compiled) {
        const values = match(uri);
        if (values) return toContents(uri, definition, definition.read(values, context));
      }
      return undefined;
    },
    values(uriTemplate, variable, context) {
      const found = compiled.find(({ definition }) => definition.uriTemplate === uriTemplate);
      if (!found?.variables.includes(variable)) return undefined;
      return found.definition.values?.(variable, context) ?? [];
    },
  };
}

/** Checks the members of a definition. @throws {TypeError} When one is unknown, missing or invalid. */
function requireShape(definition: object, type: string, uri: string): void {
  checkType(definition, `${type} definition`, "", (fault) => {
    throw new TypeError(`Cannot serve the ${type} "${uri}": ${fault}`);
  });
}

function toContents(
  uri: string,
  { mimeType }: { readonly mimeType?: string },
  reading: Reading,
): Awaitable<readonly ResourceContents[] | undefined> {
  return andThen(reading, (content) => {
    const head = compact({ uri, mimeType });
    if (typeof content === "string") return [{ ...head, text: content }];
    if (content instanceof Uint8Array) return [{ ...head, blob: toBase64(content) }];
    return content;
  });
}
