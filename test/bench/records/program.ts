/** What the program lists of a folder of records, and how texts are compared. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** What the program lists of a document. */
export interface Listed {
  uri: string;
  title: string;
  _meta?: { "architrave/record"?: Record<string, unknown> };
}

/** What the program lists of a folder, by path. The variable PROGRAM names another program. */
export function listed(name: string, folder: string): Map<string, Listed> {
  const program = process.env["PROGRAM"] ?? join(import.meta.dirname, "../../../mod.ts");
  const command = [program, "list", "--mount", `${name}=${folder}`, "--format", "json"];
  const output = execFileSync(process.execPath, ["--no-warnings", ...command], { maxBuffer: 1 << 28, encoding: "utf8" });
  const { resources } = JSON.parse(output) as { resources: Listed[] };
  return new Map(resources.map((one) => [`${pathOf(name, one.uri)}.md`, one]));
}

/** The path of a document in its folder, without its ending. */
export function pathOf(name: string, uri: string): string {
  return decodeURIComponent(uri).replace(`architecture://${name}/`, "");
}

/** Whether two texts are equal apart from marks and case. */
export function alike(one: string, other: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return plain(one) === plain(other);
}
