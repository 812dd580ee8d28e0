/**
 * Reads a resource.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources
 */

import type { Awaitable } from "../../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./services.ts";
import { allOf, andThen, firstOf } from "../../base/async.ts";
import { quoted } from "../../base/text.ts";
import { RawJson } from "../../jsonrpc/message.ts";
import { resourceNotFound, unusableParam } from "../protocol/errors.ts";
import { checked } from "./shapes.ts";

/** Answers `resources/read`. */
export function readResource(
  context: ExecutionContext,
  { resources }: Services,
): Awaitable<unknown> {
  const { uri } = context.params;
  if (typeof uri !== "string") throw unusableParam(uri, "uri", "a string");
  const first = resources[0]?.read(uri, context);
  // Most reads end here, so they make no closures.
  if (first instanceof RawJson) return first;
  const others = (contents: typeof first) =>
    contents ?? firstOf(resources, (provider) => provider.read(uri, context), 1);
  return andThen(andThen(first, others), (contents) => {
    if (contents === undefined) {
      return andThen(allOf(resources.map((provider) => provider.nearest?.(uri, context) ?? [])), (near) => {
        throw resourceNotFound(uri, context.revision, near.flat());
      });
    }
    return contents instanceof RawJson
      ? contents
      : { contents: checked(contents, "contents[]", "contents", quoted(uri, 200)) };
  });
}
