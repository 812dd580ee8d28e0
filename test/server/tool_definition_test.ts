import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnySchema, Tool, ToolDefinition } from "../../lib/server/tool.ts";
import { createServer } from "../../lib/server/server.ts";
import { defineTool, ToolDefinitionError } from "../../lib/server/tool.ts";
import { connect, textOf } from "./tool_client.ts";
import { INFO, NOTHING, tool } from "./tool_samples.ts";

/** Defines what no compiler would let pass. */
function define(more: object): Tool {
  return tool("odd", more as Partial<ToolDefinition<AnySchema, AnySchema>>);
}

test("a definition that could not be served as it is meant is refused, with the name of the tool and the reason", () => {
  const rows: [more: object, reason: RegExp][] = [
    [{ outputField: "count" }, /its outputField "count" names what an outputSchema describes/],
    [{ outputField: 1, outputSchema: { type: "string" } }, /its outputField must be a string/],
    [{ handler: undefined }, /its handler must be a function/],
    [{ handler: "done" }, /its handler must be a function/],
    [{ annotations: { readOnlyHint: true, dangerous: true } }, /its annotations have "dangerous", .* _meta/],
    [{ annotations: { toString: undefined } }, /its annotations have "toString"/],
    [{ annotations: { readOnlyHint: "yes" } }, /its annotation "readOnlyHint" must be a boolean/],
    [{ annotations: { title: true } }, /its annotation "title" must be a string/],
    [{ timeoutMs: 0 }, /its time must be between 1 and/],
  ];
  for (const [more, reason] of rows) {
    assert.throws(() => define(more), (cause) => {
      assert.ok(cause instanceof ToolDefinitionError, String(cause));
      assert.match(cause.message, /^Cannot define the tool "odd": /);
      assert.match(cause.message, reason);
      return true;
    });
  }
  assert.throws(() => define({ name: undefined }), /Cannot define the tool "undefined": a name has/);
});

test("what is undefined in a definition is not said", async () => {
  const more = {
    annotations: { title: undefined, readOnlyHint: true },
    outputField: undefined,
    timeoutMs: undefined,
  };
  const [listed] = await (await connect({ tools: [define(more)] })).list();
  assert.deepEqual(listed, {
    name: "odd",
    inputSchema: { type: "object", additionalProperties: false },
    annotations: { readOnlyHint: true },
  });
});

/** A tool as a class, with a handler and a description that are not the instance's own. */
class Greeter {
  readonly name: string = "greet";
  readonly inputSchema: typeof NOTHING = NOTHING;
  readonly #greeting: string;

  constructor(greeting: string) {
    this.#greeting = greeting;
  }

  get description(): string {
    return `Says ${this.#greeting}.`;
  }

  handler(): string {
    return this.#greeting;
  }
}

test("an instance of a class is a definition too, with all that it inherits", async () => {
  const greeter = new Greeter("hello");
  const client = await connect({ tools: [defineTool(greeter)] });
  greeter.handler = () => "changed";
  assert.equal((await client.list())[0]!["description"], "Says hello.");
  assert.equal(textOf(await client.call("greet")), "hello");
});

test("a rate that allows no call, or is none, keeps the server from being built", () => {
  const rates: [rate: unknown, reason: RegExp][] = [
    [{ burst: 0, perSecond: 1 }, /a burst of 0/],
    [{ burst: 0.5, perSecond: 1 }, /a burst of 0.5/],
    [{ burst: NaN, perSecond: 1 }, /a burst of NaN/],
    [{ burst: "5", perSecond: 1 }, /a burst of 5/],
    [{ perSecond: 1 }, /a burst of undefined/],
    [{ burst: 1, perSecond: 0 }, /come to 0 perSecond/],
    [{ burst: 1, perSecond: -1 }, /come to -1 perSecond/],
    [{ burst: 1 }, /come to undefined perSecond/],
  ];
  for (const [rate, reason] of rates) {
    assert.throws(
      () => createServer({ info: INFO, toolCalls: rate as { burst: number; perSecond: number } }),
      (cause) => cause instanceof TypeError && reason.test(cause.message),
    );
  }
  createServer({ info: INFO, toolCalls: { burst: Infinity, perSecond: Infinity } });
});
