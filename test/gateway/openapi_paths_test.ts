/** The paths, methods, names, versions and servers of OpenAPI documents as people write them: each operation is served, or listed with a reason. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Written } from "./gateways.ts";
import { createGateway, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import { table } from "../harness/table.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { openApi, serve } from "./gateways.ts";

const ANSWER = { responses: { 200: { description: "ok" } } };
const inPath = (name: string) => ({ name, in: "path", required: true, schema: { type: "string" } });
const inQuery = (name: string) => ({ name, in: "query", schema: { type: "string" } });

/** The key of a path, the method of its operation, its parameters, and what is sent, or why it is not served. */
const PATHS = String.raw`
  a/{id} | get | path id | GET /a/7
  a | get | | GET /a
  {id}/a | get | path id | GET /7/a
  v2/a#x | get | | GET /v2/a
  ok?x=1 | get | | GET /ok?x=1
  _a/b-c | get | | GET /_a/b-c
  https://api.example.com/x | get | | SKIP The path must begin with "/"
  a:b/c | get | | SKIP The path must begin with "/"
  //evil.example/a | get | | GET //evil.example/a
  "" | get | | SKIP The path must begin with "/"
  " /ok" | get | | SKIP The path must begin with "/"
  ?x=1 | get | | SKIP The path must begin with "/"
  #x | get | | SKIP The path must begin with "/"
  /a | GET | | GET /a
  /a | Get | | GET /a
  /a | POST | | POST /a
  /a | dElEtE | | DELETE /a
  /a | gett | | SKIP OpenAPI does not define the method GETT
  /a | link | | SKIP OpenAPI does not define the method LINK
  /a | QUERY | | QUERY /a
  /a | trace | | SKIP TRACE cannot be sent
  /a | x-get | | NOTHING
  x-a | get | | NOTHING
  /a#add | put | | PUT /a
  /a# | put | | PUT /a
  /a/{id}#a#b | put | path id | PUT /a/7
  /a#{x} | put | | PUT /a
  /a#/b?c=d | put | | PUT /a
  /a?x=1 | get | | GET /a?x=1
  /a?x=1&y=b%20c | get | query q | GET /a?x=1&y=b%20c&q=7
  /a?acl | get | | GET /a?acl
  /a? | get | | GET /a
  /a?x=1&&y=2#f | get | | GET /a?x=1&y=2
  /a?x=it's [b] é | get | | GET /a?x=it%27s%20%5Bb%5D%20%C3%A9
  /a?x=1 | get | query x | GET /a?x=1
  /a/{id}?x=1=2 | get | path id | GET /a/7?x=1=2
  /a{?x} | get | query x | GET /a?x=7
  /a{?x,y*}#f | get | query x, query y | GET /a?x=7&y=7
  /a?b=1{&x} | get | query x | GET /a?b=1&x=7
  /a?x={x} | get | query x | GET /a?x=7
  /a{?x} | get | | SKIP There is no parameter for {x} in the path
  /a?x={y} | get | path y | SKIP There is no parameter for {y} in the path
  /a?x=b{y} | get | query y | SKIP The path must begin with "/"
  /a/{+p} | get | path p | SKIP There is no parameter for {+p} in the path
  /a?x=%zz | get | | SKIP The path must begin with "/"
  /a?x={y | get | | SKIP The path must begin with "/"
  "/a\ud800" | get | | SKIP The path must begin with "/"
  "/a?x=\ud800" | get | | SKIP The path must begin with "/"
  /a/../b?x=1 | get | | SKIP The path must begin with "/"
`;

test("each path and method of a document is served as it is meant, or skipped with a reason", async () => {
  for (const [key, method, names, wanted] of table(PATHS)) {
    const parameters = names.split(", ").filter(Boolean).map((one) => {
      const [place, name = ""] = one.split(" ");
      return place === "path" ? inPath(name) : inQuery(name);
    });
    const path = key.startsWith('"') ? JSON.parse(key) : key;
    const document = openApi({ [path]: { [method]: { operationId: "probe", parameters, ...ANSWER } } });
    const description = readOpenApi(document, { base: "https://api.example.com/v1" });
    const [skipped] = description.skipped;
    if (skipped || description.endpoints.length === 0) {
      const found = skipped ? `SKIP ${skipped.reason}` : "NOTHING";
      assert.ok(found.startsWith(wanted), `${key}: ${found}`);
      continue;
    }
    const client = await serve(document, {
      allowDestructive: true,
      confirm: () => Promise.resolve("accept"),
    });
    const { inputSchema } = (await client.list())[0] as { inputSchema: { properties: Written } };
    const given = Object.keys(inputSchema.properties).filter((name) =>
      !/^(?:answer_part|confirm)/.test(name)
    );
    const answer = await client.call("probe", Object.fromEntries(given.map((name) => [name, "7"])));
    const [sent] = client.sent;
    assert.equal(sent && `${sent.method} ${sent.target}`, wanted, `${key}: ${JSON.stringify(answer)}`);
  }
});

test("a fixed parameter cannot be set by the members of an object", async () => {
  const free = { name: "free", in: "query", schema: { type: "object" } };
  const document = openApi({
    "/a?x=1&y%5Bz%5D=2": { get: { operationId: "probe", parameters: [free], ...ANSWER } },
  });
  const client = await serve(document);
  for (const name of ["x", "x[]", "y[z]"]) {
    const said = textOf(await client.call("probe", { free: { [name]: 2 } }));
    assert.match(said, /^free\/.*: there is another parameter named/, name);
  }
  await client.call("probe", { free: { z: 2 } });
  assert.deepEqual(client.sent.map(({ target }) => target), ["/a?x=1&y%5Bz%5D=2&z=2"]);
});

/** References to operations, and the names of the operations. */
const NAMED = String.raw`
  {"get":{"$ref":"#/components/x-ops/C"}} | list_things
  {"get":{"$ref":"#/components/x-ops/Again"}} | list_things
  {"$ref":"#/components/pathItems/P"} | list_things
  {"$ref":"#/components/pathItems/Q"} | list_things
  {"get":{"$ref":"#/paths/~1other/post"}} | make_other
  {"get":{"$ref":"op.yaml"}} | from_file
  {"get":{"$ref":"op.yaml","operationId":"own"}} | own
`;

test("an operation behind a reference keeps its identifier", () => {
  for (const [item, wanted] of table(NAMED)) {
    const components = {
      "x-ops": {
        C: { operationId: "list_things", ...ANSWER },
        Again: { $ref: "#/components/x-ops/C" },
      },
      pathItems: { P: { get: { $ref: "#/components/x-ops/C" } }, Q: { $ref: "#/components/pathItems/P" } },
    };
    const paths = { "/a": JSON.parse(item), "/other": { post: { operationId: "make_other", ...ANSWER } } };
    const text = JSON.stringify(openApi(paths, { components }));
    const read = () => "operationId: from_file\nresponses: {'200': {description: ok}}\n";
    const { endpoints } = readOpenApi(parseOpenApi(text, { name: "api.json", read }));
    assert.equal(endpoints.find(({ path }) => path === "/a")?.name, wanted, item);
  }
});

test("filters know an operation by its name and by the identifier in the document", () => {
  const ids = ["meta/root", "a.b", "long ".repeat(20), "ünï", "plain"];
  const paths: [string, Written][] = ids.map((
    operationId,
    index,
  ) => [`/${index}`, { get: { operationId, ...ANSWER } }]);
  paths.push(["/safe", { post: { operationId: "search/all", ...ANSWER } }]);
  const description = readOpenApi(openApi(Object.fromEntries(paths)));
  for (const [index, id] of ids.entries()) {
    const { endpoints: [one] } = createGateway({ description, filter: { operations: [id] } });
    assert.equal(one?.path, `/${index}`);
    const again = createGateway({ description, filter: { operations: [one!.name] } });
    assert.deepEqual(again.endpoints, [one]);
  }
  assert.equal(createGateway({ description, safe: ["search/all"] }).endpoints.length, 6);
  const misspelt = () => createGateway({ description, filter: { operations: ["meta/rot"] } });
  assert.throws(misspelt, /There is no operation "meta\/rot".*\(did you mean meta\/root\?\)/);
});

/** The first line of a YAML document. */
const VERSIONS = [
  "openapi: 3.2",
  "openapi: 3.2.0",
  "swagger: 2.0",
  "swagger: 2",
  "swagger: '2.0'",

  "openapi: 3.1",
  "openapi: 3.0",
  "openapi: '3.1'",
  "openapi: 3.1.1",
  "openapi: 3",
  'openapi: "3.0"',
];

test("a version is known with and without quotes", () => {
  for (const version of VERSIONS) {
    const text =
      `${version}\nservers: [{url: https://api.example.com}]\npaths: {/a: {get: {responses: {}}}}\n`;
    assert.equal(readOpenApi(parseOpenApi(text)).endpoints.length, 1, version);
  }
});

/** The URL of a server, its variables, and the advice. */
const HOSTS = String.raw`
  {protocol}://{hostname}/api | {"hostname":"HOSTNAME","protocol":"http"} | allow it with the option base http://HOSTNAME/api, or set the option variables protocol=VALUE the option variables hostname=VALUE
  http://{host}.local | {"host":"printer"} | allow it with the option base http://printer.local, or set the option variables host=VALUE
  http://localhost | {} | allow it with the option base http://localhost
  http://localhost:{port} | {"port":"80"} | or set the option variables port=VALUE
  https://{host} | {} | The server variable "host" needs a value: set it with the option variables
`;

test("the advice for a host that stands for another works", () => {
  for (const [url, values, wanted] of table(HOSTS)) {
    const given = Object.entries(JSON.parse(values)).map(([name, usual]) => [name, { default: usual }]);
    const servers = [{ url, variables: Object.fromEntries(given) }];
    const document = openApi({ "/a": { get: ANSWER } }, { servers });
    assert.throws(() => createGateway({ description: readOpenApi(document) }), ({ message }: Error) => {
      assert.ok(message.endsWith(wanted), message);
      return true;
    });
  }
});

/** The URL of an operation's own server, the options, and the served base or the advice. */
const OWN = String.raw`
  https:// | {} | It has its own server, https://, which names no host: correct it in the document
  https://{agent} | {"variables":{"agent":"<host>"}} | which names no host: correct it in the document
  https://{agent} | {"variables":{"agent":"{your-agent-url}"}} | which names no host: correct it in the document
  https://%3Cupload_url%3E | {} | which names no host: correct it in the document
  https://{agent} | {} | The server variable "agent" needs a value: set it with the option variables
  https://{agent} | {"variables":{"agent":"a.example"}} | allow it with the option servers a.example
  https://{agent} | {"variables":{"agent":"a.example"},"servers":["a.example"]} | https://a.example
  https://[::2]:8080/x | {} | allow it with the option servers [::2]:8080
`;

test("the advice for an operation with its own server works", () => {
  for (const [url, options, wanted] of table(OWN)) {
    const document = openApi({ "/a": { get: { servers: [{ url }], ...ANSWER } }, "/b": { get: ANSWER } });
    const { endpoints, skipped } = readOpenApi(document, JSON.parse(options));
    const found = skipped[0]?.reason ?? (endpoints[0] as Written | undefined)?.["base"];
    assert.ok(String(found).endsWith(wanted), String(found));
  }
});
