/** Templates of decision records: those that come with the program, and how a new record is made from one. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { readTextFile } from "./io.ts";
import { RecordText } from "./record_text.ts";

export const TEMPLATES: readonly string[] = ["nygard", "madr", "madr-minimal"];

export function readTemplate(platform: Platform, { home }: Options, name: string): string {
  const path = TEMPLATES.includes(name) ? `${home}/mcp/templates/${name}.md` : name;
  return readTextFile(platform, path, `the template (${TEMPLATES.join(", ")}, or a file)`);
}

type Values = { readonly number: string | undefined; readonly title: string; readonly date: string };

/** Makes a proposed record from a template. The number is as in the file name, "0007"; undefined for a date. */
export function fillTemplate(template: string, path: string, { number, title, date }: Values): RecordText {
  if (/\bTITLE\b/.test(template)) {
    const text = number === undefined ? template.replace("NUMBER. ", "") : template;
    // As in adr-tools, the first placeholder of each kind in a line. The title is last, because it may contain the others.
    const lines = text.split("\n").map((line) =>
      line.replace("NUMBER", String(Number(number))).replace("DATE", date).replace("STATUS", "Proposed")
        .replace("TITLE", () => title)
    );
    return new RecordText(path, lines.join("\n"), true);
  }
  const record = new RecordText(path, template, true);
  // "ADR-NNN: {title}" keeps its form.
  const [, before, , after] =
    /^((?:ADR[-# ]*)?)(N+|X{2,}|0+|\{(?:number|NNNN)\})(\.? |: ?| - )/.exec(record.title ?? "") ?? [];
  const isNumbered = before !== undefined && number !== undefined;
  record.setTitle(title, isNumbered ? before + number + after + title : title);
  record.setStatus("proposed");
  record.setDate(date);
  return record;
}
