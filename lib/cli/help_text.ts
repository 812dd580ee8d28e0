/** The help of all commands, as data: the table of commands, their options, checks and completion are read from it. */

import { SERVE_OPTIONS } from "./options.ts";

export const GENERAL_OPTIONS: string = `
  -h, --help                 show what a command does, and its options
  -V, --version              show the version`;
const FORMAT_OPTION = `
  --format text|json         format of the output (default: text)`;
const LOG_OPTIONS = SERVE_OPTIONS.slice(SERVE_OPTIONS.indexOf("\n  --log-level"));
const SHOW_OPTIONS = `${FORMAT_OPTION}
  --color auto|always|never  colours and aligned columns (default: auto, which is on a terminal; NO_COLOR turns colours off)${SERVE_OPTIONS}`;
const STATUS_OPTION = `
  --status STATUS            only decision records with this status, such as accepted`;
const WRITE_OPTIONS = `
  --write                    write the changes; without it, they are only shown as a diff${FORMAT_OPTION}`;
const PAGE_OPTIONS = `
  --title TEXT               the name of the project (default: the name of the folder of the repository)
  --edit-url URL             where its files are edited, such as https://github.com/a/b/edit/main (default: from .git/config)`;
const RECORD_OPTIONS = `
  --in FOLDER                the folder of records (default: that of the project)
  --mount NAME=DIR...        the same, with a name
  --root DIR                 a folder with records in resources/adr/${WRITE_OPTIONS}`;

/**
 * The help of all commands, separated by empty lines: usage and purpose, options as in `SERVE_OPTIONS`, notes. Brackets mark
 * optional operands, dots any number of them. "CLIENT is one of …" lists all words for an operand.
 */
export const HELP: string = `
serve [FOLDER]              speak MCP over standard input and output, for clients (the default)${SERVE_OPTIONS}
A folder can replace the command: mod.ts docs/adr is mod.ts serve --mount adr=docs/adr
Example: mod.ts serve --mount adr=docs/adr
It needs permission to read the documents, and no other: deno run --no-prompt --allow-read=docs mod.ts --root docs
If it may read mcp/prompts next to mod.ts, it also serves the three prompts there

http [FOLDER]               speak MCP over HTTP, at http://127.0.0.1:8080/mcp unless --listen says otherwise
  --listen HOST:PORT         where to listen (default: 127.0.0.1:8080)
  --token-file FILE          require one of the tokens in this file; each line is NAME TOKEN SCOPE..., NAME TOKEN or TOKEN
  --jwks SOURCE              require a JWT signed with a key of this JWK Set: a file or an https URL
  --issuer URL               the issuer of the JWTs (iss)
  --resource URL             the URL of the endpoint, and the audience of JWTs (aud); its metadata is published
  --audience TEXT            the audience of JWTs, if it is not --resource
  --authorization-server URL...
                             where clients get tokens (default: --issuer)
  --require-scope WHAT=SCOPE...
                             require scopes, separated by spaces; WHAT is all, tool:NAME or category:NAME
  --max-failures 1..1000000  maximum number of wrong credentials from an address in a minute (default: 60)
  --audit-log stderr         write a line of JSON for each request: who asked for what, and the outcome
  --metrics HOST:PORT        serve metrics as OpenMetrics text at http://HOST:PORT/metrics
  --key-file FILE            sign sessions with the first key in this file, and accept all; each line is 32 bytes in Base64
  --allow-host HOST...       a host name by which clients reach this server
  --allow-origin URL...      the origin of a web page that may send requests
  --allow-unauthenticated    let other machines connect without a token${SERVE_OPTIONS}
Example: mod.ts http --mount adr=docs/adr
It also needs permission to listen: --allow-net=127.0.0.1:8080

list [FOLDER]               list all documents and prompts, with number, status and date of records${STATUS_OPTION}${SHOW_OPTIONS}
Example: mod.ts list --status accepted --mount adr=docs/adr

read URI                    print a document, or one section of it with URI#section${SHOW_OPTIONS}
URI can also be the number of a record, the path of a file, or a part of its name.
Example: mod.ts read 7#decision --mount adr=docs/adr

search QUERY...             find documents by words; exit code 1 if nothing is found
  --category NAME            only documents of this category
  --limit 1..100             maximum number of results (default: 10)${STATUS_OPTION}${SHOW_OPTIONS}
Example: mod.ts search retry "exponential backoff" --mount adr=docs/adr

decisions PATH...           list the documents that apply to files; - reads the paths from standard input
  --code DIR                 also read the files, as paths from this folder: for documents that they cite, and for a guess if there is none${SHOW_OPTIONS}
Paths start at the root of the repository; on standard input, newlines or NULs separate them
Example: git diff --name-only main | mod.ts decisions - --mount adr=docs/adr

prompt NAME [KEY=VALUE]...  print a prompt with its arguments filled in${SHOW_OPTIONS}
KEY=@FILE reads the value from a file, KEY=- from standard input; KEY=@@TEXT is a text that begins with @
Example: mod.ts prompt review-code-against-patterns code=@src/pay.ts language=typescript --mount patterns=docs/patterns

check [FOLDER]              report problems in documents and prompts; exit code 1 if there are errors
  --rule RULE...             report only this rule, with all its places
  --ignore RULE|GLOB...      leave out a rule, or the files that a pattern matches
  --errors-only              leave out warnings
  --code DIR                 report code below this folder that breaks forbids or requires of a document or cites a
                             decision that is over, each applies-to that matches no file, and files that records cite and
                             that are gone
  --config FILE              settings (default: architrave.json next to the documents)
  --baseline FILE            leave out the findings in this file; --format baseline prints one
  --format text|json|github|sarif|baseline
                             format of the output (default: text)${SERVE_OPTIONS}
The settings are optional: { "check": { "rules": { "title-repeated": "off", "link-leaves": "error" },
  "exclude": ["adr/archive/"], "sections": { "adr/**": "madr", "patterns/*": ["Problem", "Solution"] },
  "code": "../..", "baseline": "baseline.json" } }
The sample is not checked.
Example: mod.ts check --mount adr=docs/adr --code . --format github

init DIR                    start a folder with two guidelines, a pattern, two records and three prompts to edit${WRITE_OPTIONS}
It does not overwrite files.
Example: mod.ts init docs/architecture --write
It needs permission to write there: --allow-write=docs/architecture

new TITLE...                write a new decision record, with the next number of its folder or with a date
  --supersedes RECORD...     a record that it replaces; marked as superseded when the new one is accepted
  --template FILE            nygard, madr, madr-minimal or a file (default: the template of the folder, else the form of its last record)
  --date DATE                its date, such as 2026-07-28 (default: today)${RECORD_OPTIONS}
RECORD is a number, a file name, or a part of one.
Example: mod.ts new "Use queues between services" --supersedes 4 --mount adr=docs/decisions --write
It needs permission to write there: --allow-write=docs/decisions

supersede OLD NEW           mark the record OLD as superseded by NEW; both records are edited
  --force                    also if NEW is older than OLD, or is not in force${RECORD_OPTIONS}
Example: mod.ts supersede 4 9 --mount adr=docs/decisions --write

status RECORD STATUS        change the status of a decision record: proposed, accepted, rejected, deprecated${RECORD_OPTIONS}
Accepting a record marks the records that it supersedes.
Example: mod.ts status 9 accepted --mount adr=docs/decisions --write

graph [FOLDER]              draw how decision records supersede, amend and relate to each other
  --around RECORD            only this record, by number or URI, and all that it is related to, directly or through others
  --format mermaid|dot|json|svg
                             format of the output (default: mermaid)${SERVE_OPTIONS}
Example: mod.ts graph --mount adr=docs/adr --format svg > decisions.svg

page [FOLDER]               show the documents in a browser, at http://127.0.0.1:8090/ unless --listen says otherwise
  --listen HOST:PORT         where to listen, on this machine only (default: 127.0.0.1:8090)
  --open                     open it in the browser of the system${PAGE_OPTIONS}${SERVE_OPTIONS}
Example: mod.ts page docs/adr
It also needs permission to listen: --allow-net=127.0.0.1:8090; and for --open, --allow-run=xdg-open

site OUT [FOLDER]           write the pages of the command page as files, for a static host
  --base PATH                where the site will be: /docs/, or a whole URL, which also makes the links of the feed absolute (default: /)
  --check                    write nothing; exit code 1 if a file is not current${PAGE_OPTIONS}
  --write                    write the files; without it, they are only listed${FORMAT_OPTION}${SERVE_OPTIONS}
It writes only in OUT. It does not overwrite files that it did not make, and deletes its own pages of documents that are
gone. The same documents give the same bytes: what depends on the day, such as overdue reviews, is left out.
Example: mod.ts site public --base https://example.com/decisions/ --mount adr=docs/adr
It needs permission to write there: --allow-read --allow-write=public

toc [FOLDER]                print a table of contents in markdown
  --prefix TEXT              the start of each link (default: none, for a page next to the documents)${SHOW_OPTIONS}
Example: mod.ts toc --mount adr=docs/adr --prefix adr/

changes [FOLDER]            list the documents that were dated or changed since a day, newest first
  --since DATE               the first day, such as 2026-07-28
  --dated                    use only the dates in records, and not the times of files, which a checkout changes${SHOW_OPTIONS}
Example: mod.ts changes --since 2026-07-01 --mount adr=docs/adr

export ASSISTANT [FOLDER]   write an index of the documents in force, and a rule for each applies-to, into the rules files of an assistant
  --into DIR                 the repository with these files (default: the working directory)
  --max-bytes 1024..1048576  maximum size of the index, in bytes (default: 8192)
  --check                    write nothing; print a diff, with exit code 1, if a file is not current${WRITE_OPTIONS}${SERVE_OPTIONS}
ASSISTANT is one of agents, claude, gemini, cursor, copilot, kiro, windsurf
In existing files, it writes only the part between the lines architrave:begin and architrave:end. Name all folders in one
command: it deletes the rules that it wrote before for other documents.
Example: mod.ts export agents --mount adr=docs/adr
It needs permission to read and write there: --allow-read --allow-write=.

hook [CLIENT]               tell an assistant which decisions apply to a file, from a hook of its client
  --start                    give the index of all documents, for a hook at the start of a session
  --block                    refuse an edit that adds what a document forbids in its front matter
  --code DIR                 read the files of the code below this folder: for what an edit adds, and for a guess if no document applies
  --budget 50..2500          maximum length of the answer, in tokens of four characters (default: 350)${SERVE_OPTIONS}
CLIENT is one of claude-code, codex, cursor, vscode, copilot, gemini
The input of the hook tells which client it is; CLIENT is for inputs that do not. config CLIENT --hooks shows the settings.
What goes wrong is one line on standard error, and the exit code is 0: a hook must not stop the work.
Example: cat input.json | mod.ts hook --mount adr=docs/adr

vendor DIR                  copy the sources of this program into another repository
  --only serve|serve,search|all
                             copy the server of documents and prompts, the server with its tools, or everything (default: what an existing copy has, else all)
  --check                    write nothing; print the files of the copy that were changed, are missing or are extra; exit code 1 if there are any
  --force                    also replace files that were changed after they were copied
  --write                    copy the files; without it, they are only listed${FORMAT_OPTION}
DIR/architrave.vendor.json says what was copied: version, commit, parts, and the SHA-256 of each file. To update a copy,
run the command again. Documents that you add in DIR/mcp are not extra.
Example: mod.ts vendor tools/architrave --only serve --write
It needs permission to write there: --allow-read --allow-write=tools/architrave

config CLIENT [FOLDER]      show how to configure a client to start this server
  --name NAME                what the client calls the server (default: architrave)
  --hooks                    the hooks instead of the server: they give an assistant the decisions for the files that it reads or edits${SHOW_OPTIONS}
CLIENT is one of claude-code, claude-desktop, vscode, cursor, copilot, windsurf, codex, gemini, zed, opencode, kiro, goose, jetbrains
claude-desktop, cursor, windsurf, gemini, kiro and jetbrains read one form, and so do Antigravity, Mastra Code, MCPorter and Pi.
Copilot CLI and VS Code with Copilot also read the .mcp.json of Claude Code, Grok Build that of codex, Kilo Code that of opencode.
Example: mod.ts config claude-code --mount adr=docs/adr

gateway                     serve the operations of a REST API as tools
  --endpoints FILE           an endpoint file (JSON or YAML)
  --openapi FILE             an OpenAPI 3 or Swagger 2 document (JSON or YAML); - is standard input, for --list
  --base URL                 the base URL of the API (default: the one in the file)
  --variable NAME=VALUE...   the value of a server variable of the document
  --server HOST...           also serve operations to which the document gives another server, on this host
  --tag TAG...               serve only operations with this tag
  --path PATH...             serve only operations with this path; * matches any text
  --operation NAME...        serve only this operation
  --allow-destructive        also serve operations that can change something; each call must be confirmed
  --safe NAME...             a POST operation that changes nothing
  --max-tools 0..100000      with more operations, serve three tools instead: search, describe, call (default: 64, or 64 KiB of tools)
  --auth-file NAME=FILE...   the secret of a security scheme; user:password for HTTP basic
  --header-file NAME=FILE... a header with a secret, for every request
  --without-credentials      call operations even if their credentials are not given
  --allow-plain-http         send credentials unencrypted to another machine, if the base URL begins with http
  --timeout 1..3600000       time limit of a request, in milliseconds (default: 30000)
  --max-bytes 1..67108864    maximum size of a response, in bytes (default: 1048576)
  --max-shown 1024..67108864 maximum part of a response that is shown at once, in bytes (default: 32768)
  --concurrency 1..1000      maximum number of requests at a time (default: 8)
  --list                     list what is served, and what is not and why
  --format text|json         format of --list (default: text)${LOG_OPTIONS}
Example: mod.ts gateway --openapi shop.json --list
It needs permission to read the files and to connect to the API: --allow-read --allow-net=api.example.com

inspect URL [ACTION]...     show what any MCP server has, and send requests to it${FORMAT_OPTION}
  --json                     the same as --format json; watch then prints a line of JSON for each change
  --era auto|modern|legacy   the protocol era of the server (default: auto)
  --timeout 1..999999999     time limit of a response, in milliseconds (default: 60000)
  --token-file FILE          send the content of this file as a bearer token
  --login                    sign in with a browser if the server asks for it; the address to open is printed
  --client-id ID             the ID of this client, if the authorization server does not register clients itself
  --client-secret-file FILE  the secret of this client; without --login, it gets tokens without a user
  --issuer URL               the authorization server that gets the secret of this client (default: asked at a terminal)
  --scope SCOPE...           also ask for this scope
For a server that is a program: inspect [ACTION] -- COMMAND [ARGUMENT]... [-- ACTION]
Actions: list (default), read URI, prompt NAME [KEY=VALUE]..., call TOOL [JSON|KEY=VALUE]..., watch [URI]...
Example: mod.ts inspect http://127.0.0.1:8080/mcp
It needs permission to connect or to run the command: --allow-net=example.com, --allow-run=npx; and with --login, to connect
to the authorization server and to 127.0.0.1

completion SHELL            print a script that completes the command architrave in a shell; architrave must be on the PATH
SHELL is one of bash, zsh, fish
Example: source <(architrave completion bash)

help [COMMAND]              show what a command does, and its options
Example: mod.ts help

version                     show the version
Example: mod.ts version`;
