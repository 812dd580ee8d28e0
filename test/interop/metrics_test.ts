/** `http --metrics` and the reference reader of OpenMetrics, Prometheus' own for Python. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Daemon, NO_PROMETHEUS, onEachRuntime, OWN_ROOT, PROGRAM, PYTHON, run } from "./programs.ts";

/** What the reader returns. */
interface Family {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly samples: readonly (readonly [
    name: string,
    labels: Readonly<Record<string, string>>,
    value: number,
  ])[];
}

const READER = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
families = [{"name": f.name, "type": f.type, "unit": f.unit, "samples": [s[:3] for s in f.samples]}
            for f in read(sys.stdin.read())]
print(json.dumps(families))`;

/** Reads strictly: an error of the text ends the reader. */
function read(text: string): Family[] {
  const { status, stdout, stderr } = run(PYTHON, ["-c", READER], {
    input: text,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

onEachRuntime("the metrics", ({ command, line }) => {
  test(
    "are read by the reference reader, and count what the official client does",
    {
      skip: NO_PROMETHEUS,
    },
    async () => {
      const allowed = [`--allow-read=${OWN_ROOT}`, "--allow-net=127.0.0.1"];
      const address = "127.0.0.1:0";
      const flags = [
        "http",
        "--root",
        OWN_ROOT,
        "--listen",
        address,
        "--metrics",
        address,
      ];
      const daemon = new Daemon(command, line(allowed, PROGRAM, ...flags));
      await daemon.until(() => /\/metrics\n/.test(daemon.stderr));
      const [url = "", metricsUrl = ""] = Array.from(
        daemon.stderr.matchAll(/http:\S+/g),
        ([found]) => found,
      );
      const client = new Client({ name: 'hostile"}\n# EOF', version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      await client.listTools();
      for (const query of ["naming", "errors"]) {
        await client.callTool({
          name: "search_documents",
          arguments: { query },
        });
      }
      await assert.rejects(
        client.callTool({ name: 'made-up"} 1\n', arguments: {} }),
      );
      const legacy = new LegacyClient({ name: "legacy", version: "1" });
      const transport = new LegacyTransport(new URL(url));
      await legacy.connect(transport);
      await transport.terminateSession();
      const text = await (await fetch(metricsUrl)).text();
      await legacy.close();
      await client.close();
      const families = read(text);
      const family = (name: string) => families.find((one) => one.name === name)!;
      const name = "mcp_server_operation_duration_seconds",
        durations = family(name);
      assert.deepEqual([durations.type, durations.unit], [
        "histogram",
        "seconds",
      ]);
      const values = (end: string, labels: Readonly<Record<string, string>>) =>
        durations.samples.filter(([sample, found]) =>
          sample === `${name}_${end}` &&
          Object.entries(labels).every(([name, value]) => found[name] === value)
        ).map(([, , value]) => value);
      const calls = {
        mcp_method_name: "tools/call",
        gen_ai_tool_name: "search_documents",
      };
      const buckets = values("bucket", calls);
      assert.deepEqual(
        [buckets.length, buckets.at(-1), values("count", calls)],
        [15, 2, [2]],
      );
      assert.deepEqual(
        buckets,
        buckets.toSorted((left, right) => left - right),
      );
      assert.ok(values("sum", calls)[0]! > 0);
      assert.deepEqual(
        values("count", { gen_ai_tool_name: "other", error_type: "-32602" }),
        [1],
      );
      assert.deepEqual(values("count", { mcp_method_name: "tools/list" }), [1]);
      const sessions = family("mcp_server_session_duration_seconds");
      assert.deepEqual([sessions.type, sessions.unit], [
        "histogram",
        "seconds",
      ]);
      const labels = {
        mcp_protocol_version: "2025-11-25",
        network_protocol_name: "http",
        network_transport: "tcp",
      };
      assert.deepEqual(
        sessions.samples.filter(([sample]) => sample.endsWith("_count")),
        [[`${sessions.name}_count`, labels, 1]],
      );
      for (const [, labels] of families.flatMap(({ samples }) => samples)) {
        assert.ok(
          Object.values(labels).every((label) => /^[\w.+/-]+$/.test(label)),
          JSON.stringify(labels),
        );
      }
      assert.ok(family("architrave_documents").samples[0]![2] > 10);
      for (
        const wrong of [
          text.replace("# EOF\n", ""),
          text.replace('le="1.0"', 'le="x"'),
        ]
      ) {
        assert.throws(() => read(wrong));
      }
      assert.equal((await daemon.stop()).code, 0);
    },
  );
});
