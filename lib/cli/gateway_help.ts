/** What can the gateway do? The text of `gateway --help`. */

import { VERSION } from "./version.ts";

/** Everything there is to say on one screen. */
export const GATEWAY_HELP: string = `architrave ${VERSION}: serves the operations of a REST API as MCP tools

Usage:
  mod.ts gateway --endpoints FILE | --openapi FILE [options]

What is served:
  --endpoints FILE         an endpoint file (JSON)
  --openapi FILE           an OpenAPI 3.0 or 3.1 document (JSON)
  --base URL               where the API is; by default where the file says
  --variable NAME=VALUE    the value of a server variable of the document; may be repeated
  --tag TAG, --path PATH, --operation NAME
                           serve only these; may be repeated; * in a path is any text
  --allow-destructive      serve what can change something too; each call of it is confirmed
  --safe NAME              a POST operation that changes nothing; may be repeated
  --max-tools N            with more operations, three tools stand for all: search, describe, call; by default 64

Credentials, from files and from nowhere else:
  --auth-file NAME=FILE    the secret of a security scheme of the file; for HTTP basic, user:password
  --header-file NAME=FILE  a header with a secret, for every request
  --without-credentials    call operations without the credentials that they ask for and that are not given

Limits:
  --timeout MS             how long an answer may take; by default 30000
  --max-bytes N            the largest answer; by default 1048576
  --concurrency N          how many requests are under way at once; by default 8

And:
  --list                   show what would be served, and what would not and why
  --format FORMAT          how --list answers: text (default) or json
  --log-level LEVEL        silent, error, warning (default), info or debug; logs go to standard error
  --log-format FORMAT      text (default) or json
  -h, --help               this text

Permissions: the files, and the host of the API, for example
  deno run --no-prompt --allow-read --allow-net=api.example.com mod.ts gateway --endpoints api.json
`;
