import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError, toErrorObject } from "../../lib/jsonrpc/message.ts";

test("toErrorObject() lets an RpcError through with its code, message and data", () => {
  assert.deepEqual(toErrorObject(new RpcError(-32602, "m", { a: 1 })), {
    code: -32602,
    message: "m",
    data: { a: 1 },
  });
  assert.deepEqual(toErrorObject(new RpcError(5, "m")), { code: 5, message: "m" });
});

test("toErrorObject() tells nothing of any other error but a reference", () => {
  const secret = Object.assign(new Error("/home/me/.secret"), { code: 7, data: "secret" });
  for (const cause of [secret, "secret", { code: 1, message: "secret" }, undefined, null]) {
    assert.deepEqual(toErrorObject(cause), { code: -32603, message: "Internal error" });
    assert.deepEqual(toErrorObject(cause, "c1.2"), {
      code: -32603,
      message: "Internal error",
      data: { reference: "c1.2" },
    });
  }
});
