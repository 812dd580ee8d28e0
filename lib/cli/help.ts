/** What can the program do? The text of `--help`. */

import { VERSION } from "./version.ts";

/** Everything there is to say on one screen. */
export const HELP: string =
  `architrave ${VERSION}: serves a team's guidelines, patterns and decision records over MCP

Usage:
  mod.ts [serve] [options]            speak MCP over standard input and output (for clients, not for people)
  mod.ts http [options]               speak MCP over HTTP, at http://127.0.0.1:8080/mcp unless it is said otherwise
  mod.ts list [options]               list all documents and prompts
  mod.ts read URI [options]           print one document, or one section of it with URI#section
  mod.ts prompt NAME [key=value]...   print a prompt, filled in
  mod.ts check [options]              report what is wrong with documents and prompts
  mod.ts gateway [options]            serve a REST API as tools; gateway --help says how
  mod.ts inspect URL [ACTION]         look at any MCP server over HTTP, and ask it things
  mod.ts inspect -- COMMAND [ACTION]  the same with a program that is an MCP server

Actions of inspect: list (default), read URI, prompt NAME [key=value]..., call TOOL [JSON], watch [URI]...
They may also stand before --, and after another -- where the command could end like one.

Options:
  --root DIR            the folder with resources/ and prompts/ in it; by default the mcp/ beside mod.ts
  --mount NAME=DIR      serve another folder of markdown as the category NAME; may be repeated
  --scheme SCHEME       list URIs as architecture (default) or file; both can be read
  --page-size N         how many things are on a page of a list; by default 1000
  --poll MS             look for changed files every MS milliseconds
  --format FORMAT       how list, read, prompt and check answer: text (default) or json
  --log-level LEVEL     silent, error, warning (default), info or debug; logs go to standard error
  --log-format FORMAT   text (default) or json

Options of http:
  --listen HOST:PORT    where to listen; by default 127.0.0.1:8080
  --token-file FILE     let in only who has one of these tokens: a line each, NAME TOKEN or only TOKEN
  --key-file FILE       sign sessions with the first of these keys and accept all: a line each, Base64 of 32 bytes
  --allow-host HOST     a name that clients reach this server by; may be repeated
  --allow-origin URL    a web page that may ask, beside those of the hosts; may be repeated
  --allow-anybody       listen where others can reach it, and ask nobody for a token

Options of inspect:
  --json                answer in JSON; watch with one line for each change
  --era ERA             take the server for modern or legacy; by default it finds out
  --timeout MS          wait that long for an answer; by default 60000
  --token-file FILE     send what is in the file as a bearer token

Options for people:
  -h, --help            this text
  -V, --version         the version

Exit codes: 0 fine; 1 check found an error, or what was asked for does not exist; 2 wrong usage or configuration.

Permissions: read access to the documents and nothing else, for example
  deno run --no-prompt --allow-read=docs mod.ts --root docs
for http, to listen: --allow-net=127.0.0.1:8080
for inspect, to connect, or to run the command: --allow-net=example.com, --allow-run=npx
`;
