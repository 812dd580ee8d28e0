/** The page that a browser gets at the root of the server. */

import type { HttpExchange } from "../../platform/http.ts";
import { escapeHtml } from "../../base/html.ts";
import { JSON_FIELDS } from "./errors.ts";

/** Answers a person who opens the server in a browser. The page is static and loads nothing. */
export function respondWithPage(exchange: HttpExchange, path: string): void {
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
  const type = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy };
  const address = escapeHtml(path);
  exchange.respond(200, { ...JSON_FIELDS, ...type }, [`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>MCP server</title>
<h1>This is an MCP server</h1>
<p>It serves documents, prompts and tools to AI assistants over the Model Context Protocol, but no pages to browsers.</p>
<p>To use it, add this address with the path <code>${address}</code> to an MCP client, as a server over HTTP (Streamable
HTTP). If the server requires authentication, the client needs a bearer token.</p></html>
`]);
}
