/** Templates for HTML and XML. Values are escaped. */

import { escapeHtml } from "../base/html.ts";
import { printable } from "../base/text.ts";

/** Markup, which is not escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | boolean | undefined | readonly Part[];

/** A template tag for markup. Values that are not markup are escaped; `undefined` and booleans are left out. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + textOf(parts[index])).join(""));
}

export function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return part === undefined || typeof part === "boolean" ? "" : escapeHtml(printable(`${part}`));
}
