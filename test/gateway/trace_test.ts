/** The gateway passes the trace of a call on to the API. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createGateway, readEndpoints } from "../../lib/gateway/mod.ts";
import { HttpClient } from "../harness/http_client.ts";
import { serve as serveHttp } from "../harness/http_server.ts";
import { BASE, recorder, written } from "./gateways.ts";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TRACE = { traceparent: PARENT, tracestate: "rojo=1", baggage: "user=ada" };

test("a valid trace of _meta or the header is sent to the API, and nothing else of them", async (t) => {
  const { fetch, sent } = recorder();
  const description = readEndpoints({ endpoints: [written({})] });
  const { tools } = createGateway({ description, base: BASE, fetch });
  const client = new HttpClient(await serveHttp(t, {}, { tools }));
  const rows: [meta: object, header: Record<string, string>, expected: Record<string, string>][] = [
    [{}, {}, {}],
    [TRACE, {}, TRACE],
    [{}, TRACE, TRACE],
    [{ traceparent: PARENT }, { tracestate: "rojo=1" }, { traceparent: PARENT }],
    [{ traceparent: "x\r\nevil: 1", baggage: "a=b\r\nevil: 1" }, {}, {}],
    [{ authorization: "Bearer x", cookie: "a=b", "x-evil": "1" }, { "x-evil": "1" }, {}],
  ];
  for (const [_meta, header, expected] of rows) {
    sent.length = 0;
    await client.ask("tools/call", { name: "probe", arguments: {}, _meta }, header);
    const { accept: _, "user-agent": __, ...others } = Object.fromEntries(new Headers(sent[0]!.headers));
    assert.deepEqual(others, expected, JSON.stringify(_meta));
  }
});
