/**
 * What the gateway makes of public documents: how many operations each has, how many are served, skipped and remarked on, and why.
 *
 * node --experimental-strip-types test/bench/gateway/documents.ts [--reasons] FILE...
 *
 * The files are OpenAPI or Swagger documents, JSON or YAML. An operation that is neither served nor skipped is an error.
 */

import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { createGateway, parseOpenApi, readOpenApi } from "../../../lib/gateway/mod.ts";

const BASE = "https://api.example.com/v1";
const flags = process.argv.slice(2).filter((one) => one.startsWith("--"));
const files = process.argv.slice(2).filter((one) => !one.startsWith("--"));
const total = { documents: 0, unreadable: 0, operations: 0, served: 0, skipped: 0, remarks: 0, lost: 0 };

/** How often each reason occurs. What differs from operation to operation is left out. */
function counted(items: readonly { readonly reason: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of items) {
    const plain = reason.replace(/"[^"]*"/g, '"…"').replace(/\{[^}]*\}/g, "{…}").slice(0, 120);
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  return counts;
}

for (const file of files) {
  total.documents++;
  const start = performance.now();
  try {
    const read = (path: string) => readFileSync(join(dirname(file), path), "utf8");
    const document: any = parseOpenApi(readFileSync(file, "utf8"), { name: basename(file), read });
    const methods = /^(?:get|put|post|delete|options|head|patch|trace|query)$/i;
    const operations = Object.values<any>(document.paths ?? {}).flatMap((item) => {
      const listed = Object.keys(item ?? {}).filter((key) => methods.test(key));
      return [...listed, ...Object.keys(item?.additionalOperations ?? {})];
    });
    const description = readOpenApi(document, { base: BASE });
    const options = { allowDestructive: true, withoutCredentials: true, allowEmpty: true };
    const { endpoints, skipped, remarks } = createGateway({ description, base: BASE, ...options });
    const lost = Math.max(0, operations.length - endpoints.length - skipped.length);
    total.operations += operations.length;
    total.served += endpoints.length;
    total.skipped += skipped.length;
    total.remarks += remarks.length;
    total.lost += lost;
    const found = `${operations.length} operations, ${endpoints.length} served, ${skipped.length} skipped`;
    const time = Math.round(performance.now() - start);
    console.log(`${basename(file)} (${statSync(file).size} bytes): ${found}, ${remarks.length} remarks, ${lost} lost, ${time} ms`);
    if (!flags.includes("--reasons")) continue;
    for (const [reason, count] of counted(skipped)) console.log(`  skipped ${count}: ${reason}`);
    for (const [reason, count] of counted(remarks)) console.log(`  remark ${count}: ${reason}`);
  } catch (cause) {
    total.unreadable++;
    console.log(`${basename(file)}: ${(cause as Error).message}`);
  }
}
console.log(JSON.stringify(total));
process.exitCode = total.lost > 0 ? 1 : 0;
