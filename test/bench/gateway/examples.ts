/**
 * Whether calls that vendors give as examples are sent. Each example of a request body is judged by its document with Ajv, and
 * sent through a gateway to a server on this machine, which answers with what it got.
 *
 *     npm ci --prefix test/interop
 *     OPENAPI_DOCUMENTS=FOLDER node --experimental-strip-types test/bench/gateway/examples.ts [NAME…]
 *
 * FOLDER holds OpenAPI documents as vendors publish them, JSON or YAML. The names choose some of its files. The table has a
 * row for each document; below it is each example that the document accepts and that was refused, with its message.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { startApi } from "../../gateway/gateways.ts";
import { connect, textOf } from "../../mcp/server/tool_client.ts";
import type { Fetch } from "../../../lib/gateway/mod.ts";
import { createGateway, parseOpenApi, readOpenApi } from "../../../lib/gateway/mod.ts";
import { asArray, asObject, isObject, tryParse } from "../../../lib/base/json.ts";
import { escapeToken, parsePointer } from "../../../lib/base/pointer.ts";
import { attempt } from "../../../lib/base/text.ts";
import { requestWithBody } from "../../../lib/platform/request.ts";
import { table } from "../report.ts";

interface AjvInstance {
  addSchema(schema: object, key: string): void;
  compile(schema: object): (value: unknown) => boolean;
}
type Json = Record<string, unknown>;

const folder = process.env["OPENAPI_DOCUMENTS"];
if (folder === undefined) throw new Error("name the folder of the documents in OPENAPI_DOCUMENTS");
const only = process.argv.slice(2);
const require = createRequire(new URL("../../interop/package.json", import.meta.url));
const { default: Ajv2020 } = require("ajv/dist/2020.js") as { default: new (options: object) => AjvInstance };
const addFormats = require("ajv-formats") as (ajv: AjvInstance) => void;

/** A document in JSON Schema 2020-12: with `nullable` and the exclusive bounds of 3.0 in its words. */
function translated(value: unknown, isOld: boolean, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((one) => translated(one, isOld));
  if (!isObject(value)) return value;
  const result: Json = {};
  for (const [key, member] of Object.entries(value)) {
    if (isMap || !["example", "examples", "default"].includes(key)) {
      result[key] = translated(member, isOld, key === "properties");
    }
  }
  if (isOld && result["nullable"] === true && typeof result["type"] === "string") result["type"] = [result["type"], "null"];
  if (result["nullable"] === true && Array.isArray(result["enum"])) result["enum"] = [...result["enum"], null];
  if (Array.isArray(result["enum"]) && result["enum"].length === 0) delete result["enum"];
  for (const [exclusive, plain] of [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]] as const) {
    if (typeof result[exclusive] !== "boolean") continue;
    if (result[exclusive]) [result[exclusive], result[plain]] = [result[plain], undefined];
    else delete result[exclusive];
  }
  return result;
}

/** The value that a reference leads to, and others within it. */
function resolve(root: unknown, value: unknown): unknown {
  for (let left = 20; left > 0 && isObject(value) && typeof value["$ref"] === "string"; left--) {
    const tokens = parsePointer(decodeURIComponent(value["$ref"].slice(1))) ?? [];
    value = tokens.reduce<unknown>((at, token) => (at as Json | undefined)?.[token], root);
  }
  return value;
}

/** The examples of a parameter or a media type, by name. */
function examplesOf(root: unknown, part: Json): (readonly [name: string, value: unknown])[] {
  const found = Object.entries(asObject(part["examples"])).flatMap(([name, one]) => {
    const example = resolve(root, one);
    return isObject(example) && "value" in example ? [[name, example["value"]] as const] : [];
  });
  if ("example" in part) found.push(["example", part["example"]]);
  const schema = resolve(root, part["schema"]);
  if (found.length > 0 || !isObject(schema)) return found;
  if ("example" in schema) found.push(["schema", schema["example"]]);
  for (const [index, one] of asArray(schema["examples"]).entries()) found.push([`schema ${index}`, one]);
  return found;
}

/** What a text can mean as JSON, or as a value a line. */
function valuesIn(text: string): unknown[] {
  const texts = [text, `[${text.trim().split("\n").filter((line) => line.trim() !== "").join(",")}]`];
  return texts.map(tryParse).filter((one) => one !== undefined);
}

/** A value for a required parameter: its own example, or the least that fits its schema. */
function parameterValue(root: unknown, parameter: Json): unknown {
  const [example] = examplesOf(root, parameter);
  if (example) return example[1];
  const [media] = Object.values(asObject(parameter["content"]));
  const schema = asObject(resolve(root, parameter["schema"] ?? asObject(media)["schema"]));
  const { type, enum: values, format } = schema as { type?: unknown; enum?: unknown[]; format?: string };
  if (values && values.length > 0) return values[0];
  if (type === "integer" || type === "number") return 1;
  if (type === "boolean") return true;
  if (type === "array") return ["a"];
  if (format === "uuid") return "00000000-0000-4000-8000-000000000000";
  if (format === "email") return "a@example.com";
  return format === "date-time" ? "2024-01-01T00:00:00Z" : format === "date" ? "2024-01-01" : format === "uri" ? "https://a.b" : "a";
}

const send: Fetch = (url, init) =>
  init.body && init.method === "GET" ? requestWithBody(url, init) : fetch(url, init);
const closing: (() => void)[] = [];
const echo = await startApi({ after: (close) => void closing.push(close as () => void) }, (response) => response.end("ok"));
const rows: string[][] = [];
const totals = { examples: 0, accepted: 0, sent: 0 };
const refusals: string[] = [];

for (const file of readdirSync(folder).filter((one) => only.length === 0 || only.some((name) => one.startsWith(name)))) {
  const root = parseOpenApi(readFileSync(`${folder}/${file}`, "utf8")) as Json;
  const schemes = Object.keys(asObject(asObject(root["components"])["securitySchemes"]));
  const read = (servers: readonly string[]) => readOpenApi(root, { base: echo.origin, credentials: schemes, servers });
  const hosts = read([]).skipped.flatMap(({ reason }) => / the option servers (.*\..*)$/.exec(reason)?.[1] ?? []);
  const description = read(hosts);
  const gateway = createGateway({
    description,
    base: echo.origin,
    allowDestructive: true,
    allowPlainHttp: true,
    withoutCredentials: true,
    maxTools: 0,
    confirm: () => Promise.resolve("accept"),
    fetch: (url, init) => send(new URL(url.pathname + url.search, echo.origin), init),
  });
  const client = await connect({ tools: gateway.tools, toolCalls: { burst: 1e6, perSecond: 1e6 } });
  const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(translated(root, /^3\.0/.test(String(root["openapi"]))) as object, "https://document.example/");
  const judge = (value: unknown, pointer: string) =>
    attempt(() => ajv.compile({ $ref: `https://document.example/#${pointer}` })(value));
  let [examples, accepted, sent, unjudged] = [0, 0, 0, 0];
  for (const endpoint of gateway.endpoints) {
    const item = resolve(root, (root["paths"] as Json)[endpoint.path]) as Json;
    const operation = item[endpoint.method.toLowerCase()] as Json;
    const body = resolve(root, operation["requestBody"]);
    if (!isObject(body)) continue;
    const at = typeof (operation["requestBody"] as Json)["$ref"] === "string"
      ? String((operation["requestBody"] as Json)["$ref"]).slice(1)
      : `/paths/${encodeURIComponent(escapeToken(endpoint.path))}/${endpoint.method.toLowerCase()}/requestBody`;
    const parameters = [...asArray(item["parameters"]), ...asArray(operation["parameters"])]
      .map((one) => resolve(root, one)).filter(isObject).filter(({ required }) => required === true);
    const { parameters: known } = endpoint as unknown as { parameters: readonly Record<"name" | "in" | "argument", string>[] };
    const args: Json = {};
    for (const parameter of parameters) {
      const name = known.find((one) => one.name === parameter["name"] && one.in === parameter["in"])?.argument;
      if (name !== undefined) args[name] = parameterValue(root, parameter);
    }
    for (const [type, media] of Object.entries(asObject(body["content"]))) {
      if (!/json/i.test(type) || !isObject(media)) continue;
      for (const [name, given] of examplesOf(root, media)) {
        examples++;
        const pointer = `${at}/content/${encodeURIComponent(escapeToken(type))}/schema`;
        // Some vendors give the text of a body.
        const [value, isGood] = [given, ...(typeof given === "string" ? valuesIn(given) : [])]
          .map((one) => [one, media["schema"] === undefined ? true : judge(one, pointer)] as const)
          .find(([, isGood]) => isGood !== false) ?? [given, false];
        if (isGood === undefined) unjudged++;
        if (isGood !== true) continue;
        accepted++;
        echo.asked.length = 0;
        const answer = await client.call("call_operation", { name: endpoint.name, arguments: { ...args, body: value } });
        const got = echo.asked[0];
        if (got && JSON.stringify(JSON.parse(got.body || "null")) === JSON.stringify(value)) sent++;
        else {
          const said = answer.error ? JSON.stringify(answer.error) : textOf(answer);
          refusals.push(`${file} ${endpoint.name} ${name}: ${said}\n  sent: ${JSON.stringify(value)?.slice(0, 400)}`);
        }
      }
    }
  }
  await client.close();
  rows.push([file, gateway.endpoints.length, gateway.skipped.length, examples, unjudged, accepted, sent].map(String));
  totals.examples += examples;
  totals.accepted += accepted;
  totals.sent += sent;
}
for (const close of closing) close();
const head = ["document", "operations", "skipped", "examples", "not judged", "accepted", "sent"];
console.log(table(head, rows));
console.log(`${totals.sent} of ${totals.accepted} examples that the documents accept are sent (${totals.examples} in all)`);
for (const refusal of refusals) console.log(`\n${refusal}`);
