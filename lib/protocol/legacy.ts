/** Adapts results of the newest revision to older ones. */

import type { Revision } from "./revisions.ts";

/** Hints for clients, which may ignore them. */
interface Annotations {
  readonly lastModified?: string;
}

/** Up to 2025-03-26 a resource has a name only, which is shown to people, and neither `_meta` nor `lastModified`. */
export function legacyResource<
  T extends { readonly name: string; readonly title?: string; readonly annotations?: Annotations },
>(resource: T & { readonly _meta?: unknown }): unknown {
  const { title, _meta, annotations, ...rest } = resource;
  const known = annotationsIn({ titles: false }, annotations);
  return { ...rest, name: title ?? resource.name, ...(known ? { annotations: known } : {}) };
}

/** Up to 2025-03-26 a template has a name only. */
export function legacyTemplate(
  { title, ...template }: { readonly name: string; readonly title?: string },
): unknown {
  return { ...template, name: title ?? template.name };
}

/** The annotations that a revision has; undefined when none is left. */
export function annotationsIn<T extends Annotations>(
  { titles }: Pick<Revision, "titles">,
  annotations: T | undefined,
): T | undefined {
  if (!annotations || titles) return annotations;
  const { lastModified: _, ...rest } = annotations;
  return Object.keys(rest).length > 0 ? rest as T : undefined;
}
