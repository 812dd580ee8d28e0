/** What is somebody told who is not let in? One line with an error, because a connection that just ends explains nothing. */

import type { Piece } from "../jsonrpc/encode.ts";
import type { RpcError } from "../jsonrpc/error.ts";
import { encodeMessage } from "../jsonrpc/encode.ts";
import { toErrorObject } from "../jsonrpc/error.ts";
import { failure } from "../jsonrpc/message.ts";

/** An error that answers nothing in particular, as the bytes of a line. */
export function refusal(error: RpcError): Uint8Array {
  const pieces: Piece[] = [];
  encodeMessage(failure(null, toErrorObject(error)), pieces);
  return new TextEncoder().encode(`${pieces.join("")}\n`);
}
