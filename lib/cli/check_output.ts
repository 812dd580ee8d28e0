/** The findings of the command check, as text, annotations and SARIF. */

import type { Finding } from "../documents/mod.ts";
import { textHash } from "../base/bytes.ts";
import { compare, printable } from "../base/text.ts";
import { findingKey } from "./check_settings.ts";
import { placeOf } from "./log.ts";
import { VERSION } from "./this_copy.ts";

/** The findings by rule: errors first, then the most frequent. Shows at most `maxPlaces` places of a rule. */
export function toText(findings: readonly Finding[], maxPlaces: number): string {
  const groups = [...Map.groupBy(findings, ({ severity, rule }) => `${severity} ${rule}`)]
    .sort(([left, { length }], [right, { length: other }]) => compare(left[0]!, right[0]!) || other - length);
  return groups.flatMap(([name, found]) => {
    const [{ help, rule }] = found as [Finding];
    const shown = found.slice(0, maxPlaces);
    const places = shown.map((finding) => `  ${placeOf(finding)}: ${finding.message}`);
    const more = found.length - shown.length;
    const rest = more > 0 ? [`  and ${more} more: --rule ${rule} shows all`] : [];
    return [`${name} (${found.length}): ${help}`, ...places, ...rest, ""];
  }).map((line) => `${printable(line)}\n`).join("");
}

/** Workflow commands of GitHub Actions: an annotation for each finding. */
export function toAnnotations(findings: readonly Finding[], pathOf: (finding: Finding) => string): string {
  const data = (text: string) => printable(text).replaceAll("%", "%25");
  const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return findings.map((finding) => {
    const { severity, line = 1, rule, message, help } = finding;
    const place = `file=${property(pathOf(finding))},line=${line}`;
    return `::${severity} ${place},title=${rule}::${data(`${message}. ${help}`)}\n`;
  }).join("");
}

/** @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function toSarif(findings: readonly Finding[], pathOf: (finding: Finding) => string): unknown {
  const helps = new Map(findings.map(({ rule, help }) => [rule, help]));
  const ids = [...helps.keys()].sort();
  const rules = ids.map((id) => ({ id, help: { text: helps.get(id) } }));
  const results = findings.map((finding) => {
    const { rule, severity, message, help, line = 1 } = finding;
    const artifactLocation = { uri: toUriPath(pathOf(finding)) };
    return {
      ruleId: rule,
      ruleIndex: ids.indexOf(rule),
      level: severity,
      message: { text: `${message}. ${help}` },
      locations: [{ physicalLocation: { artifactLocation, region: { startLine: line } } }],
      partialFingerprints: { "architrave/v1": textHash(findingKey(finding)) },
    };
  });
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "architrave", version: VERSION, rules } }, results }],
  };
}

function toUriPath(path: string): string {
  const encoded = path.split("/").map((segment) => encodeURIComponent(segment.toWellFormed())).join("/");
  const isAbsolute = /^(?:\/|[A-Za-z]%3A\/)/.test(encoded);
  return isAbsolute ? `file://${encoded.startsWith("/") ? "" : "/"}${encoded}` : encoded;
}
