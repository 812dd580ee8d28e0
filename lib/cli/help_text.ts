/** The help of all commands, as data: the table of commands, their options, checks and completion are read from it. */

import { SERVE_OPTIONS } from "./options.ts";

export const GENERAL_OPTIONS: string = `
  -h, --help                 show what a command does, and its options
  -V, --version              show the version`;
const FORMAT_OPTION = `
  --format text|json         format of the output (default: text)`;
const LOG_OPTIONS = SERVE_OPTIONS.slice(SERVE_OPTIONS.indexOf("\n  --log-level"));
const SHOW_OPTIONS = `${FORMAT_OPTION}
  --color auto|always|never  colours and aligned columns (default: auto, on a terminal; NO_COLOR leaves out colours)${SERVE_OPTIONS}`;
const STATUS_OPTION = `
  --status STATUS            only decision records with this status: accepted, superseded, ...`;
const WRITE_OPTIONS = `
  --write                    make the changes; without it, they are shown as a diff and nothing is written${FORMAT_OPTION}`;
const RECORD_OPTIONS = `
  --mount NAME=DIR...        the folder of records
  --root DIR                 a folder with records in resources/adr/, in place of --mount${WRITE_OPTIONS}`;

/**
 * The help of all commands, separated by empty lines: usage and purpose, options as in `SERVE_OPTIONS`, notes. Brackets mark
 * optional operands, dots any number of them. "CLIENT is one of …" lists all words for an operand.
 */
export const HELP: string = `
serve                       speak MCP over standard input and output, for clients (the default)${SERVE_OPTIONS}
A folder in place of a command is served: mod.ts docs/adr is mod.ts serve --mount adr=docs/adr
Example: mod.ts serve --mount adr=docs/adr
Needs read access to the documents only: deno run --no-prompt --allow-read=docs mod.ts --root docs
With read access to mcp/prompts beside mod.ts, its three prompts are served, too

http                        speak MCP over HTTP, at http://127.0.0.1:8080/mcp unless --listen says otherwise
  --listen HOST:PORT         where to listen (default: 127.0.0.1:8080)
  --token-file FILE          require one of these tokens: a line each, NAME TOKEN SCOPE..., NAME TOKEN or TOKEN
  --jwks SOURCE              require a JWT that is signed with a key of this JWK Set, a file or an https URL
  --issuer URL               who signs the JWTs (iss)
  --resource URL             the URL of the endpoint for clients, which JWTs are for (aud); publishes its metadata
  --audience TEXT            what JWTs are for, where it is not --resource
  --authorization-server URL...
                             where clients get tokens (default: --issuer)
  --require-scope WHAT=SCOPE...
                             scopes that are needed for all, tool:NAME or category:NAME; several with spaces
  --max-failures 1..1000000  wrong credentials that an address may send in a minute (default: 60)
  --audit-log stderr         write a line of JSON for each request: who asked for what, with which outcome
  --key-file FILE            sign sessions with the first of these keys, accept all: a line each, Base64 of 32 bytes
  --allow-host HOST...       a name that clients reach this server by
  --allow-origin URL...      the origin of a web page that may send requests
  --allow-unauthenticated    listen where others can connect, without tokens${SERVE_OPTIONS}
Example: mod.ts http --mount adr=docs/adr
Needs permission to listen, too: --allow-net=127.0.0.1:8080

list                        list all documents and prompts, with number, status and date of records${STATUS_OPTION}${SHOW_OPTIONS}
Example: mod.ts list --status accepted --mount adr=docs/adr

read URI                    print a document, or one section of it with URI#section${SHOW_OPTIONS}
Example: mod.ts read architecture://adr/7#decision --mount adr=docs/adr

search QUERY...             find documents by words; exit code 1 when there are none
  --category NAME            only documents of this category
  --limit 1..100             how many at most (default: 10)${STATUS_OPTION}${SHOW_OPTIONS}
Example: mod.ts search retry "exponential backoff" --mount adr=docs/adr

decisions PATH...           name the documents that apply to files; - reads their paths from standard input${SHOW_OPTIONS}
Paths are lines, or separated by NUL, and start at the root of the repository
Example: git diff --name-only main | mod.ts decisions - --mount adr=docs/adr

prompt NAME [KEY=VALUE]...  print a prompt with its arguments filled in${SHOW_OPTIONS}
KEY=@FILE takes the value from a file, KEY=- from standard input; KEY=@@TEXT is a text that begins with @
Example: mod.ts prompt review-code-against-patterns code=@src/pay.ts language=typescript --mount patterns=docs/patterns

check                       report problems in documents and prompts; exit code 1 when there are errors
  --rule RULE...             report this rule only, with every place
  --ignore RULE|GLOB...      leave out a rule, or the files that a pattern matches
  --errors-only              leave out warnings
  --code DIR                 report each applies-to that fits no file below this folder
  --config FILE              settings (default: architrave.json beside the documents)
  --baseline FILE            leave out the findings in this file, which --format baseline prints
  --format text|json|github|sarif|baseline
                             format of the output (default: text)${SERVE_OPTIONS}
Settings, all optional: { "check": { "rules": { "title-repeated": "off", "link-leaves": "error" },
  "exclude": ["adr/archive/"], "sections": { "adr/**": "madr", "patterns/*": ["Problem", "Solution"] },
  "code": "../..", "baseline": "baseline.json" } }
Example: mod.ts check --mount adr=docs/adr --code . --format github

init DIR                    start a folder: two guidelines, a pattern, two records and three prompts, for you to edit${WRITE_OPTIONS}
No file is overwritten.
Example: mod.ts init docs/architecture --write
Needs permission to write there: --allow-write=docs/architecture

new TITLE...                write a new decision record, with the next number or date of its folder
  --supersedes RECORD...     a record that it replaces: both records are edited
  --template FILE            nygard, madr, madr-minimal or a file (default: that of the folder, else of its last record)
  --date DATE                its date, such as 2026-07-28 (default: today)${RECORD_OPTIONS}
A record is named by its number, its file name, or a part of it.
Example: mod.ts new "Use queues between services" --supersedes 4 --mount adr=docs/decisions --write
Needs permission to write there: --allow-write=docs/decisions

supersede OLD NEW           mark the record OLD as superseded by the record NEW, in both${RECORD_OPTIONS}
Example: mod.ts supersede 4 9 --mount adr=docs/decisions --write

status RECORD STATUS        change the status of a decision record: proposed, accepted, rejected, deprecated${RECORD_OPTIONS}
Example: mod.ts status 9 accepted --mount adr=docs/decisions --write

graph                       draw how decision records supersede, amend and relate to each other
  --around RECORD            only this record, by number or URI, and what it is related to, also through others
  --format mermaid|dot|json|svg
                             format of the output (default: mermaid)${SERVE_OPTIONS}
Example: mod.ts graph --mount adr=docs/adr --format svg > decisions.svg

page [FOLDER]               show the documents in a browser, at http://127.0.0.1:8090/ unless --listen says otherwise
  --listen HOST:PORT         where to listen, on this machine only (default: 127.0.0.1:8090)
  --open                     open it in the browser of the system${SERVE_OPTIONS}
A folder of markdown is shown as with serve: mod.ts page docs/adr is mod.ts page --mount adr=docs/adr
Example: mod.ts page docs/adr
Needs permission to listen, too: --allow-net=127.0.0.1:8090; --open also --allow-run=xdg-open

site OUT                    make the pages of page as files for a static host
  --base PATH                where it will be: /docs/, or a whole URL, which also makes links of the feed absolute (default: /)
  --check                    write nothing; exit code 1 when a file is not current
  --write                    make the files; without it, they are listed and nothing is written${FORMAT_OPTION}${SERVE_OPTIONS}
Writes only in OUT, over no file that it did not make, and deletes its pages of documents that are gone. The same
documents give the same bytes: what depends on the day, such as overdue reviews, is left out.
Example: mod.ts site public --base https://example.com/decisions/ --mount adr=docs/adr
Needs permission to write there: --allow-read --allow-write=public

toc                         print a table of contents in markdown
  --prefix TEXT              what links begin with (default: nothing, for a page beside the documents)${SHOW_OPTIONS}
Example: mod.ts toc --mount adr=docs/adr --prefix adr/

changes                     list the documents that are dated or were changed since a day, newest first
  --since DATE               the first day, such as 2026-07-28
  --dated                    go by the dates in records alone, not by the times of files, which a checkout changes${SHOW_OPTIONS}
Example: mod.ts changes --since 2026-07-01 --mount adr=docs/adr

export ASSISTANT            write an index of the documents in force into the rules file of an assistant, and a rule for each applies-to
  --into DIR                 the repository with these files (default: the working directory)
  --max-bytes 1024..1048576  the largest index of documents (default: 8192)
  --check                    write nothing; exit code 1 and a diff when a file is not current${WRITE_OPTIONS}${SERVE_OPTIONS}
ASSISTANT is one of agents, claude, gemini, cursor, copilot, kiro, windsurf
In files that exist, only the part between the lines architrave:begin and architrave:end is written. Name all folders in
one command: rules that it wrote before for other documents are deleted.
Example: mod.ts export agents --mount adr=docs/adr
Needs permission to read and write there: --allow-read --allow-write=.

vendor DIR                  copy this program into another repository, as sources
  --only serve|serve,search|all
                             what to copy: the server of documents and prompts, also its tools, or everything (default: as the copy is, else all)
  --check                    write nothing; print the files of a copy that were changed, are missing or are extra; exit code 1 if any
  --force                    also replace files that were changed since they were copied
  --write                    copy the files; without it, they are listed and nothing is written${FORMAT_OPTION}
The file architrave.vendor.json in DIR says what was copied: version, commit, parts, and the SHA-256 of each file. The same
command updates a copy. Documents that you add in DIR/mcp are yours: they are not extra.
Example: mod.ts vendor tools/architrave --only serve --write
Needs permission to write there: --allow-read --allow-write=tools/architrave

config CLIENT               show how a client is configured to start this server
  --name NAME                what the client calls the server (default: architrave)${SHOW_OPTIONS}
CLIENT is one of claude-code, claude-desktop, vscode, cursor, windsurf, codex, gemini, zed, opencode, kiro, goose, jetbrains
Example: mod.ts config claude-code --mount adr=docs/adr

gateway                     serve the operations of a REST API as tools
  --endpoints FILE           an endpoint file (JSON or YAML)
  --openapi FILE             an OpenAPI 3.0 or 3.1 document (JSON or YAML); - is standard input, for --list
  --base URL                 where the API is (default: what the file says)
  --variable NAME=VALUE...   value of a server variable of the document
  --server HOST...           also serve operations that the document gives a server of their own, on this host
  --tag TAG...               serve only operations with this tag
  --path PATH...             serve only operations with this path; * is any text
  --operation NAME...        serve only this operation
  --allow-destructive        also serve operations that can change something; each call is confirmed
  --safe NAME...             a POST operation that changes nothing
  --max-tools 0..100000      with more operations, serve three tools: search, describe, call (default: 64, or 64 KiB of them)
  --auth-file NAME=FILE...   secret of a security scheme; user:password for HTTP basic
  --header-file NAME=FILE... a header with a secret, for every request
  --without-credentials      call operations without the credentials that are not given
  --allow-plain-http         send credentials unencrypted to another machine, if the base begins with http
  --timeout 1..3600000       time limit of a request, in milliseconds (default: 30000)
  --max-bytes 1..67108864    largest response (default: 1048576)
  --max-shown 1024..67108864 how much of a response is shown at once, in bytes (default: 32768)
  --concurrency 1..1000      most requests at a time (default: 8)
  --list                     show what is served, and what is not and why, and end
  --format text|json         format of --list (default: text)${LOG_OPTIONS}
Example: mod.ts gateway --openapi shop.json --list
Needs the files, and the host of the API: --allow-read --allow-net=api.example.com

inspect URL [ACTION]...     look at any MCP server, and send requests to it${FORMAT_OPTION}
  --json                     the same as --format json; watch prints a line for each change
  --era auto|modern|legacy   protocol era of the server (default: auto)
  --timeout 1..999999999     time limit of a response, in milliseconds (default: 60000)
  --token-file FILE          send the content of this file as a bearer token
  --login                    sign in with a browser if the server asks for it: prints the address to open
  --client-id ID             the client, if the authorization server does not register one itself
  --client-secret-file FILE  its secret; without --login, it gets tokens by itself
  --issuer URL               the authorization server that the client belongs to (default: the first of the server)
  --scope SCOPE...           ask for this scope too
For a server that is a program: inspect [ACTION] -- COMMAND [ARGUMENT]... [-- ACTION]
Actions: list (default), read URI, prompt NAME [KEY=VALUE]..., call TOOL [JSON], watch [URI]...
Example: mod.ts inspect http://127.0.0.1:8080/mcp
Needs permission to connect, or to run the command: --allow-net=example.com, --allow-run=npx
With --login, also to connect to the authorization server, and to 127.0.0.1

completion SHELL            print a script for bash, zsh or fish that completes the command architrave, if it is on the PATH
SHELL is one of bash, zsh, fish
Example: source <(architrave completion bash)

help [COMMAND]              show what a command does, and its options
Example: mod.ts help

version                     show the version
Example: mod.ts version`;
