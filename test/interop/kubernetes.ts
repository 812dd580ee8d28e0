/** Is a manifest what Kubernetes takes? Its own schemas say what is wrong; what they have no member for is found in the types made of them. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

type Value = Readonly<Record<string, unknown>>;

const PACKAGES = fileURLToPath(new URL("node_modules/", import.meta.url));
const MODELS = join(PACKAGES, "kubernetes-models");

/** Everything that is wrong with one object of a manifest. */
export async function problemsOf(object: Value): Promise<string[]> {
  const kind = String(object["kind"]);
  const file = join(MODELS, groupOf(String(object["apiVersion"])), kind);
  const { [kind]: Model } = await import(pathToFileURL(`${file}.js`).href);
  const problems = unknownMembers(object, `${file}.d.ts`, kind);
  try {
    new Model(object).validate();
  } catch (cause) {
    problems.push(`${kind}: ${(cause as Error).message}`);
  }
  return problems;
}

/** "apps/v1" is a folder of that name; so is "networking.k8s.io/v1". */
function groupOf(apiVersion: string): string {
  if (/^[a-z0-9.]+(?:\/v\d\w*)?$/.test(apiVersion)) return apiVersion;
  throw new Error(`"${apiVersion}" is no version of an API`);
}

/** The members that the type of an object, which is declared in a file, does not have. */
function unknownMembers(value: Value, file: string, path: string): string[] {
  const text = readFileSync(file, "utf8");
  const [, body = ""] = /^export interface I\w+ .*?\{\n(.*?)^\}/ms.exec(text) ??
    [];
  const types = new Map(
    [...body.matchAll(/^ {4}"([^"]+)"\??: (.*)$/gm)].map((
      [, name, type],
    ) => [name!, type!]),
  );
  return Object.entries(value).flatMap(([name, member]) => {
    const type = types.get(name);
    if (type === undefined) {
      return [`${path}.${name} is no member that Kubernetes knows`];
    }
    const [reference] = /\bII\w+/.exec(type) ?? [];
    if (reference === undefined) return [];
    const [, source] = new RegExp(`import \\{[^}]*\\b${reference}\\b[^}]*\\} from "([^"]+)"`)
      .exec(text) ?? [];
    const declared = source === undefined ? file : declarationOf(source, file);
    const values = (Array.isArray(member) ? member : [member]) as Value[];
    return values.filter((one) => typeof one === "object").flatMap((
      one,
      index,
    ) =>
      unknownMembers(
        one,
        declared,
        `${path}.${name}${Array.isArray(member) ? `[${index}]` : ""}`,
      )
    );
  });
}

function declarationOf(source: string, importer: string): string {
  const path = source.startsWith(".") ? join(dirname(importer), source) : join(PACKAGES, source);
  return `${path.replace(/\.js$/, "")}.d.ts`;
}
