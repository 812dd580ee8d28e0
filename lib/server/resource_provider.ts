/** A resource provider made of functions: single resources, and URI templates. */

import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Resource, ResourceContents, ResourceProvider, ResourceTemplate } from "./provider.ts";
import type { TemplateValues } from "./uri_template.ts";
import { toBase64 } from "../base/bytes.ts";
import { andThen } from "../base/async.ts";
import { UriTemplate } from "./uri_template.ts";

/** What a reader returns: text, bytes, several contents, or undefined when the resource does not exist. */
export type Reading = Awaitable<string | Uint8Array | readonly ResourceContents[] | undefined>;

/** A resource and its reader. */
export interface ResourceDefinition extends Resource {
  /** Reads it. The context has a `sessionId` only if the transport has sessions. */
  read(context: ExecutionContext): Reading;
}

/** A resource template and its reader. */
export interface ResourceTemplateDefinition extends ResourceTemplate {
  /** Reads the resource with these values. They are decoded, but not checked. */
  read(values: TemplateValues, context: ExecutionContext): Reading;
  /** The values of a variable, for completion. @default {none} */
  values?(variable: string, context: ExecutionContext): Awaitable<readonly string[]>;
}

/** Options of a provider. */
export interface ResourceProviderOptions {
  /** The single resources. @default {none} */
  readonly resources?: readonly ResourceDefinition[];
  /** The templates, tried in this order. @default {none} */
  readonly templates?: readonly ResourceTemplateDefinition[];
}

/**
 * Makes a resource provider of functions.
 *
 * @throws {TypeError} When two have one URI.
 * @throws {UriTemplateError} When a template cannot be read.
 * @example
 * ```ts
 * import { createServer, resourceProvider } from "@architrave/architrave/server";
 *
 * const clock = resourceProvider({
 *   resources: [{
 *     uri: "clock://now",
 *     name: "now",
 *     read: ({ sessionId }) => `${new Date().toISOString()} for ${sessionId ?? "a client without a session"}`,
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
export function resourceProvider(options: ResourceProviderOptions): ResourceProvider {
  const byUri = new Map<string, ResourceDefinition>();
  for (const resource of options.resources ?? []) {
    if (byUri.has(resource.uri)) {
      throw new TypeError(`Cannot serve two resources under the URI "${resource.uri}"`);
    }
    byUri.set(resource.uri, resource);
  }
  const families = (options.templates ?? []).map((definition) => ({
    definition,
    template: new UriTemplate(definition.uriTemplate),
  }));
  const listed = Object.freeze(
    [...byUri.values()].map(({ read: _, ...resource }) => Object.freeze(resource))
      .sort((left, right) => left.uri < right.uri ? -1 : 1),
  );
  const templates = Object.freeze(
    families.map(({ definition: { read: _, values: __, ...template } }) => Object.freeze(template)),
  );
  const reading = (
    uri: string,
    context: ExecutionContext,
  ): { mimeType?: string; content: Reading } | undefined => {
    const resource = byUri.get(uri);
    if (resource) return { ...typeOf(resource), content: resource.read(context) };
    for (const { definition, template } of families) {
      const values = template.match(uri);
      if (values) return { ...typeOf(definition), content: definition.read(values, context) };
    }
    return undefined;
  };
  return {
    list: () => listed,
    templates: () => templates,
    read(uri, context) {
      const found = reading(uri, context);
      return found && andThen(found.content, (content) => toContents(uri, found.mimeType, content));
    },
    covers: (uri) => byUri.has(uri) || families.some(({ template }) => template.match(uri) !== undefined),
    values(uriTemplate, variable, context) {
      const family = families.find(({ template }) => template.text === uriTemplate);
      if (!family?.template.variables.includes(variable)) return undefined;
      return family.definition.values?.(variable, context) ?? [];
    },
  };
}

function typeOf({ mimeType }: { readonly mimeType?: string }): { mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType };
}

function toContents(
  uri: string,
  mimeType: string | undefined,
  content: Awaited<Reading>,
): readonly ResourceContents[] | undefined {
  const type = mimeType === undefined ? {} : { mimeType };
  if (typeof content === "string") return [{ uri, ...type, text: content }];
  if (content instanceof Uint8Array) return [{ uri, ...type, blob: toBase64(content) }];
  return content;
}
