import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentProvider } from "../../lib/documents/provider.ts";
import { searchDocuments } from "../../lib/documents/search_documents.ts";
import { catalogueOf } from "../documents/search_shelf.ts";
import { connect, textOf } from "./tool_client.ts";

test("documents whose text cannot be searched are counted, and found by their titles", async () => {
  const texts = new Map([["adr/001-use-kafka", "# Use Kafka\n\nFor events."], [
    "adr/002-events",
    "# Events\n",
  ]]);
  const lost = new Set<string>();
  const room = {
    scheme: "architecture",
    shelf: {
      catalogue: catalogueOf(texts),
      textOnce: ({ key }: { key: string }) => lost.has(key) ? undefined : texts.get(key),
    },
  };
  const search = async () => {
    const tool = searchDocuments({ room } as unknown as DocumentProvider);
    const { call, conversation } = await connect({ tools: [tool] });
    const answer = await call("search_documents", { query: "kafka events" });
    await conversation.close();
    return answer;
  };

  const whole = (await search()).result!["structuredContent"] as Record<string, unknown>;
  assert.equal(whole["total"], 2);
  assert.equal("withoutText" in whole, false);

  lost.add("adr/001-use-kafka");
  const answer = await search();
  const part = answer.result!["structuredContent"] as Record<string, unknown>;
  assert.equal(part["total"], 2);
  assert.equal(part["withoutText"], 1);
  assert.match(textOf(answer), /1 documents were searched by title and name only/);
});
