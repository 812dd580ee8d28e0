/** What does nginx send to a second replica, as it is configured here? What changes nothing; and never what may have been carried out. */

import assert from "node:assert/strict";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import type { Daemon } from "./daemon.ts";
import { freePort } from "./daemon.ts";
import { NO_NGINX, SHIPPED, startNginx } from "./nginx.ts";

/** What a replica does with a request that it has read. */
type Deed = "answers" | "breaks" | "is busy";

/** A replica that does as it is told, and counts what reaches it. */
class Puppet {
  deed: Deed = "answers";
  arrived = 0;
  fields: NodeJS.Dict<string | string[]> = {};
  body = "";
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => body += text);
      request.on("end", () => {
        this.arrived++;
        this.body = body;
        this.fields = request.headers;
        if (this.deed === "breaks") return void request.socket.destroy();
        response.writeHead(this.deed === "answers" ? 200 : 503, {
          "content-type": "application/json",
        });
        response.end(`{"path":"${request.url}"}`);
      });
    });
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const fieldsOf = (method: string, version = "2026-07-28") => ({
  "content-type": "application/json",
  "mcp-protocol-version": version,
  "mcp-method": method,
});
const READS = [
  "server/discover",
  "ping",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "tools/list",
  "completion/complete",
  "subscriptions/listen",
];
const LEGACY = { "content-type": "application/json", "mcp-session-id": "s" };
/** Reads of older revisions, in the spellings that clients have. */
const LEGACY_READS: readonly string[] = [
  '{"method":"resources/read","params":{"uri":"a:b"},"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/list"}',
  '{"jsonrpc":"2.0","id":"a-1 \u00fc","method":"prompts/get","params":{"name":"tools/call"}}',
  '{"id":-1,"method":"prompts/list","jsonrpc":"2.0"}',
  ' {\r\n\t"jsonrpc" : "2.0", "id" : 7 , "method" : "ping" }\n',
  '{"method":"initialize","params":{"protocolVersion":"2025-11-25"},"jsonrpc":"2.0","id":0}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}',
];
const CALL =
  '{"method":"tools/call","params":{"name":"t","arguments":{"method":"resources/read"}},"jsonrpc":"2.0","id":1}';
/** Bodies of older revisions that must reach one replica and no other, once they were sent. */
const LEGACY_CALLS: Readonly<Record<string, string>> = {
  "a legacy call": CALL,
  "a legacy call with parameters before the method":
    '{"params":{"name":"t","arguments":{"method":"resources/read"}},"method":"tools/call","jsonrpc":"2.0","id":1}',
  "a legacy call whose id looks like a read":
    '{"id":"\\",\\"method\\":\\"ping\\",\\"","method":"tools/call","jsonrpc":"2.0"}',
  "a legacy call of a method that begins like a read": '{"method":"resources/read2","jsonrpc":"2.0","id":1}',
  "a legacy call under a read": `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{}}`,
  "a legacy call under a read, in escapes":
    '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/call","params":{}}',
  "a batch that begins with a read": `[{"method":"ping","jsonrpc":"2.0","id":1},${CALL}]`,
  "a batch in what looks like a member":
    `{"":[{"method":"ping","jsonrpc":"2.0","id":1}],"method":"tools/call"}`,
  "what comes before a line with a read": `{"x":1,\n{"method":"ping"}`,
  "a read that is too long to be looked at": `{"method":"resources/read","params":{"uri":"a:${
    "b".repeat(100_000)
  }"},"id":1}`,
  "a subscription": '{"method":"resources/subscribe","params":{"uri":"a:b"},"jsonrpc":"2.0","id":1}',
};
/** What must reach one replica and no other, once it was sent. */
const CALLS: Readonly<Record<string, Record<string, string>>> = {
  "a tool call": fieldsOf("tools/call"),
  "a method that nobody knows": fieldsOf("resources/write"),
  "a method that begins like a read": fieldsOf("resources/read2"),
  "two methods in one field": fieldsOf("resources/read, tools/call"),
  "a legacy request": LEGACY,
  "a legacy request that says it is a read": {
    ...fieldsOf("resources/read", "2025-11-25"),
    "mcp-session-id": "s",
  },
  "a read that states no revision": {
    "content-type": "application/json",
    "mcp-method": "resources/read",
  },
};

describe("nginx before three replicas", { skip: NO_NGINX }, () => {
  const puppets = [new Puppet(), new Puppet()];
  let nginx: Daemon;
  let url: string;
  let ports: number[];

  /** Starts anew, so that no replica is known as failed. The last of the three refuses connections. */
  const restart = async (configuration = SHIPPED) => {
    await nginx?.stop();
    ({ url, daemon: nginx } = await startNginx(
      [...ports, await freePort()],
      configuration,
    ));
  };
  const ask = async (
    headers: Record<string, string>,
    deeds: readonly Deed[],
    method = "POST",
    body = "{}",
  ) => {
    for (const [index, puppet] of puppets.entries()) {
      Object.assign(puppet, { deed: deeds[index], arrived: 0 });
    }
    const response = await fetch(`${url}/mcp`, {
      method,
      headers,
      ...(method === "POST" ? { body } : {}),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      arrived: puppets.map(({ arrived }) => arrived),
    };
  };

  before(async () => {
    ports = await Promise.all(puppets.map((puppet) => puppet.listen()));
    await restart();
  });
  after(async () => {
    await nginx.stop();
    for (const puppet of puppets) puppet.close();
  });

  it("asks the replicas in turn, at the path and by the name that the client asks for", async () => {
    await restart();
    let arrived = [0, 0];
    for (let round = 0; round < 30; round++) {
      const answer = await ask(fieldsOf("tools/call"), ["answers", "answers"]);
      assert.deepEqual([answer.status, answer.text], [200, '{"path":"/mcp"}']);
      arrived = arrived.map((count, index) => count + answer.arrived[index]!);
    }
    assert.equal(arrived[0]! + arrived[1]!, 30);
    assert.ok(Math.min(...arrived) >= 10, `not in turn: ${arrived}`);
    for (const { fields } of puppets) {
      assert.equal(`http://${fields["host"]}`, url);
      assert.equal(fields["mcp-method"], "tools/call");
    }
  });

  it("keeps connections for reads, and makes a new one for each call", async () => {
    await restart();
    for (
      const [method, field] of [["tools/list", undefined], [
        "tools/call",
        "close",
      ]] as const
    ) {
      for (const puppet of puppets) puppet.fields = {};
      const { arrived } = await ask(fieldsOf(method), ["answers", "answers"]);
      assert.equal(puppets[arrived.indexOf(1)]!.fields["connection"], field);
    }
  });

  for (const method of READS) {
    it(`asks another replica for ${method} when one breaks off or is busy`, async () => {
      for (const deed of ["breaks", "is busy"] as const) {
        await restart();
        // Whoever is asked first: two of three fail, and the third one answers.
        for (const deeds of [[deed, "answers"], ["answers", deed]] as const) {
          const { status, arrived } = await ask(fieldsOf(method), deeds);
          assert.equal(status, 200, `${deeds}: ${arrived}`);
        }
      }
    });
  }

  for (const read of LEGACY_READS) {
    it(`asks another replica for the legacy read ${JSON.stringify(read)} when one breaks off or is busy`, async () => {
      await restart();
      for (
        const deeds of [["breaks", "answers"], ["answers", "breaks"], [
          "is busy",
          "answers",
        ], [
          "answers",
          "is busy",
        ]] as const
      ) {
        const { status, text, arrived } = await ask(
          LEGACY,
          deeds,
          "POST",
          read,
        );
        assert.deepEqual(
          [status, text],
          [200, '{"path":"/mcp"}'],
          `${deeds}: ${arrived}`,
        );
        assert.equal(puppets[deeds.indexOf("answers")]!.body, read);
      }
    });
  }

  it("says of a legacy read too when nobody has answered", async () => {
    await restart();
    const { status, text } = await ask(
      LEGACY,
      ["breaks", "breaks"],
      "POST",
      LEGACY_READS[0],
    );
    assert.equal(status, 502);
    assert.match(text, /"message":"No replica has answered: /);
  });

  const calls = [
    ...Object.entries(CALLS).map(([name, headers]) => [name, headers, "{}"] as const),
    ...Object.entries(LEGACY_CALLS).map(([name, body]) => [name, LEGACY, body] as const),
  ];
  for (const [name, headers, body] of calls) {
    it(`sends ${name} to one replica only, and says when that gave no answer`, async () => {
      await restart();
      const statuses: number[] = [];
      for (let round = 0; round < 3; round++) {
        const { status, text, arrived } = await ask(
          headers,
          ["breaks", "breaks"],
          "POST",
          body,
        );
        statuses.push(status);
        assert.equal(
          arrived[0]! + arrived[1]!,
          1,
          `round ${round}: ${arrived}`,
        );
        assert.match(
          text,
          /"message":"No replica has answered: .* may have been carried out/,
        );
      }
      assert.deepEqual(statuses, [502, 502, 502]);
    });

    it(`sends ${name} to the next replica when one refuses the connection, so that nothing was sent`, async () => {
      await restart();
      for (let round = 0; round < 6; round++) {
        const { status, arrived } = await ask(
          headers,
          ["answers", "answers"],
          "POST",
          body,
        );
        assert.equal(status, 200);
        assert.equal(arrived[0]! + arrived[1]!, 1);
      }
    });
  }

  it("sends a legacy call to one replica only when that is busy, and says that it was not begun", async () => {
    await restart();
    const { status, text, arrived } = await ask(
      LEGACY,
      ["is busy", "is busy"],
      "POST",
      CALL,
    );
    assert.equal(status, 503);
    assert.match(
      text,
      /"message":"The replica has too much to do, .* has not begun: try again later"/,
    );
    assert.equal(arrived[0]! + arrived[1]!, 1);
  });

  it("asks replicas that are back at once, however often they have failed", async () => {
    await restart();
    for (let round = 0; round < 10; round++) {
      for (const headers of [LEGACY, fieldsOf("tools/list")]) {
        assert.equal((await ask(headers, ["breaks", "breaks"])).status, 502);
      }
    }
    for (const headers of [LEGACY, fieldsOf("tools/list")]) {
      for (let round = 0; round < 6; round++) {
        assert.equal((await ask(headers, ["answers", "answers"])).status, 200);
      }
    }
  });

  it("asks another replica for what HTTP calls repeatable: the stream of a session, and its end", async () => {
    for (const method of ["GET", "DELETE"]) {
      await restart();
      for (
        const deeds of [["breaks", "answers"], ["answers", "breaks"]] as const
      ) {
        assert.equal(
          (await ask({ "mcp-session-id": "s" }, deeds, method)).status,
          200,
        );
      }
    }
  });

  it("leaves a session with one replica where the configuration says so, and nothing else", async () => {
    await restart(SHIPPED.replace("# hash", "hash"));
    for (const id of ["a", "b", "c"]) {
      const seen = new Set<string>();
      for (let round = 0; round < 6; round++) {
        seen.add(
          `${
            (await ask({ "mcp-session-id": id }, ["answers", "answers"]))
              .arrived
          }`,
        );
      }
      assert.equal(seen.size, 1, id);
    }
    const seen = new Set<string>();
    for (let round = 0; round < 6; round++) {
      seen.add(
        `${(await ask(fieldsOf("tools/call"), ["answers", "answers"])).arrived}`,
      );
    }
    assert.equal(seen.size, 2);
  });

  it("serves nothing but the endpoint and what leads to a token", async () => {
    await restart();
    for (const puppet of puppets) puppet.deed = "answers";
    const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
    assert.equal(
      await statusOf("/.well-known/oauth-protected-resource/mcp"),
      200,
    );
    for (
      const path of [
        "/",
        "/mcp/",
        "/lane/read",
        "/lane/call",
        "/lane/again",
        "/lane/lost",
        "/lane/busy",
        "/readyz",
        "/mcp/../lane/read",
      ]
    ) {
      assert.equal(await statusOf(path), 404, path);
    }
  });

  it("refuses a body that no replica would take", async () => {
    const body = new Uint8Array(4 * 1024 * 1024 + 1);
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: fieldsOf("tools/list"),
      body,
    });
    assert.equal(response.status, 413);
    assert.match(
      await response.text(),
      /"message":"The body is longer than 4 MiB"/,
    );
  });
});
