/** nginx, as it is configured here, sends to a second replica what changes nothing, and never what may have been carried out. */

import assert from "node:assert/strict";
import type { Server } from "node:http";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Daemon } from "./programs.ts";
import { closeNow, listenLocally } from "../harness/http.ts";
import { freePort, NGINX_CONFIGURATION, NO_NGINX, startNginx } from "./programs.ts";

/** What a replica does with a request that it has read. */
type Behaviour = "answers" | "breaks" | "is busy";
type Behaviours = readonly [Behaviour, Behaviour];

/** A replica that behaves as it is told, and counts what reaches it. */
class Replica {
  behaviour: Behaviour = "answers";
  arrived = 0;
  headers: NodeJS.Dict<string | string[]> = {};
  body = "";
  readonly #server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => body += text);
    request.on("end", () => {
      this.arrived++;
      this.body = body;
      this.headers = request.headers;
      if (this.behaviour === "breaks") return void request.socket.destroy();
      response.writeHead(this.behaviour === "answers" ? 200 : 503, { "content-type": "application/json" });
      response.end(`{"path":"${request.url}"}`);
    });
  });

  listen = async () => Number(new URL(await listenLocally(this.#server)).port);
  close = () => closeNow(this.#server);
}

const JSON_TYPE = { "content-type": "application/json" };
const fieldsOf = (method: string, version = "2026-07-28") => {
  return { ...JSON_TYPE, "mcp-protocol-version": version, "mcp-method": method };
};
const SESSION = { "mcp-session-id": "s" };
const LEGACY = { ...JSON_TYPE, ...SESSION };

/** Reads, by the header field of 2026-07-28. */
const READS =
  ("server/discover ping resources/list resources/templates/list resources/read prompts/list prompts/get " +
    "tools/list completion/complete subscriptions/listen").split(" ");
/** The cells of a table: rows are lines, and cells are between bars. */
const table = (text: string) =>
  text.trim().split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
/** Reads of older revisions, in the spellings that clients have. */
const LEGACY_READS = [
  ' {\r\n\t"jsonrpc" : "2.0", "id" : 7 , "method" : "ping" }\n',
  ...table(String.raw`
  {"method":"resources/read","params":{"uri":"a:b"},"jsonrpc":"2.0","id":1}
  {"jsonrpc":"2.0","id":1,"method":"resources/list"}
  {"jsonrpc":"2.0","id":"a-1 ü","method":"prompts/get","params":{"name":"tools/call"}}
  {"id":-1,"method":"prompts/list","jsonrpc":"2.0"}
  {"method":"initialize","params":{"protocolVersion":"2025-11-25"},"jsonrpc":"2.0","id":0}
  {"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}
  {"jsonrpc":"2.0","id":1,"method":"tools/list"}
  {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`).flat(),
];
const CALL =
  '{"method":"tools/call","params":{"name":"t","arguments":{"method":"resources/read"}},"jsonrpc":"2.0","id":1}';

/** What must reach one replica and no other, once it was sent: the head and the body. */
const CALLS: readonly (readonly [name: string, headers: Record<string, string>, body: string])[] = [
  [
    "a legacy read that says so in the head",
    { ...fieldsOf("resources/read", "2025-11-25"), ...SESSION },
    "{}",
  ],
  ["a read that states no revision", { ...JSON_TYPE, "mcp-method": "resources/read" }, "{}"],
  ["what comes before a line with a read", LEGACY, '{"x":1,\n{"method":"ping"}'],
  ["a long read", LEGACY, `{"method":"resources/read","params":{"uri":"a:${"b".repeat(100_000)}"},"id":1}`],
  // The name, the method of the head, if there is one, and the body.
  ...table(String.raw`
  a tool call | tools/call | {}
  an unknown method | resources/write | {}
  a method that begins like a read | resources/read2 | {}
  two methods in one field | resources/read, tools/call | {}
  a legacy request | | {}
  a legacy call | | ${CALL}
  a legacy call with parameters first | | {"params":{"name":"t","arguments":{"method":"resources/read"}},"method":"tools/call","jsonrpc":"2.0","id":1}
  a legacy call whose id looks like a read | | {"id":"\",\"method\":\"ping\",\"","method":"tools/call","jsonrpc":"2.0"}
  a legacy method that begins like a read | | {"method":"resources/read2","jsonrpc":"2.0","id":1}
  a legacy call under a read | | {"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{}}
  a legacy call under a read, in escapes | | {"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call","params":{}}
  a batch that begins with a read | | [{"method":"ping","jsonrpc":"2.0","id":1},${CALL}]
  a batch in what looks like a member | | {"":[{"method":"ping","jsonrpc":"2.0","id":1}],"method":"tools/call"}
  a subscription | | {"method":"resources/subscribe","params":{"uri":"a:b"},"jsonrpc":"2.0","id":1}`).map(
    ([name, method, body]) => [name!, method === "" ? LEGACY : fieldsOf(method!), body!] as const,
  ),
];
const FAILING = (["breaks", "is busy"] as const).flatMap((failure): Behaviours[] => [
  [failure, "answers"],
  ["answers", failure],
]);
const BOTH_ANSWER: Behaviours = ["answers", "answers"];
const BOTH_BREAK: Behaviours = ["breaks", "breaks"];

describe("nginx before three replicas", { skip: NO_NGINX }, () => {
  const replicas = [new Replica(), new Replica()] as const;
  let nginx: Daemon | undefined;
  let url: string;
  let ports: number[];

  /** Starts anew, so that no replica is known as failed. The last of the three refuses connections. */
  const restart = async (configuration = NGINX_CONFIGURATION) => {
    await nginx?.stop();
    ({ url, daemon: nginx } = await startNginx([...ports, await freePort()], configuration));
  };
  const ask = async (
    headers: Record<string, string>,
    behaviours: Behaviours,
    body = "{}",
    method = "POST",
  ) => {
    replicas.forEach((replica, index) =>
      Object.assign(replica, { behaviour: behaviours[index], arrived: 0 })
    );
    const response = await fetch(`${url}/mcp`, { method, headers, ...(method === "POST" ? { body } : {}) });
    const text = await response.text();
    const arrived = replicas.map((replica) => replica.arrived) as [number, number];
    return { status: response.status, text, arrived, total: arrived[0] + arrived[1] };
  };

  before(async () => {
    ports = await Promise.all(replicas.map((replica) => replica.listen()));
  });
  beforeEach(() => restart());
  after(async () => {
    await nginx?.stop();
    for (const replica of replicas) replica.close();
  });

  it("asks the replicas in turn, at the path and by the name that the client asks for", async () => {
    const arrived = [0, 0] as [number, number];
    for (let round = 0; round < 30; round++) {
      const answer = await ask(fieldsOf("tools/call"), BOTH_ANSWER);
      assert.deepEqual([answer.status, answer.text, answer.total], [200, '{"path":"/mcp"}', 1]);
      for (const index of [0, 1] as const) arrived[index] += answer.arrived[index];
    }
    assert.ok(Math.min(...arrived) >= 10, `not in turn: ${arrived}`);
    for (const { headers } of replicas) {
      assert.equal(`http://${headers["host"]}`, url);
      assert.equal(headers["mcp-method"], "tools/call");
    }
  });

  it("keeps connections for reads, and makes a new one for each call", async () => {
    for (const [method, connection] of [["tools/list", undefined], ["tools/call", "close"]] as const) {
      const { arrived } = await ask(fieldsOf(method), BOTH_ANSWER);
      assert.equal(replicas[arrived.indexOf(1)]!.headers["connection"], connection);
    }
  });

  const reads = [
    ...READS.map((method) => [method, fieldsOf(method), "{}"] as const),
    ...LEGACY_READS.map((body) => [`the legacy read ${JSON.stringify(body)}`, LEGACY, body] as const),
  ];
  for (const [name, headers, body] of reads) {
    it(`asks another replica for ${name} when one breaks off or is busy`, async () => {
      // Whichever is asked first: two of three fail, and the third one answers.
      for (const behaviours of FAILING) {
        const { status, text, arrived } = await ask(headers, behaviours, body);
        assert.deepEqual([status, text], [200, '{"path":"/mcp"}'], `${behaviours}: ${arrived}`);
        assert.equal(replicas[behaviours.indexOf("answers")]!.body, body);
      }
    });
  }

  for (const [name, headers, body] of CALLS) {
    it(`sends ${name} to one replica only, and says when that gave no answer`, async () => {
      for (let round = 0; round < 3; round++) {
        const { status, text, total } = await ask(headers, BOTH_BREAK, body);
        assert.deepEqual([status, total], [502, 1], `round ${round}`);
        assert.match(text, /"message":"No replica has answered: .* may have been carried out/);
      }
    });

    it(`sends ${name} to the next replica when one refuses the connection, so that nothing was sent`, async () => {
      for (let round = 0; round < 6; round++) {
        const { status, total } = await ask(headers, BOTH_ANSWER, body);
        assert.deepEqual([status, total], [200, 1]);
      }
    });
  }

  it("says when no replica has answered a legacy read, and when the one for a legacy call is busy", async () => {
    const read = await ask(LEGACY, BOTH_BREAK, LEGACY_READS[0]);
    assert.equal(read.status, 502);
    assert.match(read.text, /"message":"No replica has answered: /);
    await restart();
    const call = await ask(LEGACY, ["is busy", "is busy"], CALL);
    assert.deepEqual([call.status, call.total], [503, 1]);
    assert.match(call.text, /"message":"The replica has too much to do, .* has not begun: try again later"/);
  });

  it("asks replicas that are back at once, however often they have failed", async () => {
    const both = [LEGACY, fieldsOf("tools/list")];
    for (let round = 0; round < 10; round++) {
      for (const headers of both) assert.equal((await ask(headers, BOTH_BREAK)).status, 502);
    }
    for (let round = 0; round < 6; round++) {
      for (const headers of both) assert.equal((await ask(headers, BOTH_ANSWER)).status, 200);
    }
  });

  for (const method of ["GET", "DELETE"]) {
    it(`asks another replica for what HTTP calls repeatable: ${method} of a session`, async () => {
      for (const behaviours of FAILING.slice(0, 2)) {
        assert.equal((await ask(SESSION, behaviours, undefined, method)).status, 200);
      }
    });
  }

  it("leaves a session with one replica where the configuration says so, and nothing else", async () => {
    await restart(NGINX_CONFIGURATION.replace("# hash", "hash"));
    const seenBy = async (headers: Record<string, string>) => {
      const seen = new Set<string>();
      for (let round = 0; round < 6; round++) seen.add(`${(await ask(headers, BOTH_ANSWER)).arrived}`);
      return seen.size;
    };
    for (const id of ["a", "b", "c"]) assert.equal(await seenBy({ "mcp-session-id": id }), 1, id);
    assert.equal(await seenBy(fieldsOf("tools/call")), 2);
  });

  it("serves nothing but the endpoint and what leads to a token", async () => {
    for (const replica of replicas) replica.behaviour = "answers";
    const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
    assert.equal(await statusOf("/.well-known/oauth-protected-resource/mcp"), 200);
    const lanes = ["read", "call", "again", "lost", "busy"].map((name) => `/lane/${name}`);
    for (const path of ["/", "/mcp/", "/readyz", "/mcp/../lane/read", ...lanes]) {
      assert.equal(await statusOf(path), 404, path);
    }
  });

  it("takes no body that no replica would take", async () => {
    const { status, text } = await ask(fieldsOf("tools/list"), BOTH_ANSWER, "x".repeat(4 * 1024 * 1024 + 1));
    assert.equal(status, 413);
    assert.match(text, /"message":"The body is longer than 4 MiB"/);
  });
});
