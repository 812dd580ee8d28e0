/** Servers of many authors, each over the transports that it has, and what the clients ask of them side by side. */

/** A server, and what is asked of it. FOLDER and PORT are replaced in all texts; one with a PORT is asked over HTTP. */
export interface Setup {
  readonly name: string;
  /** Below `node_modules`, here or in `servers`; or a module here. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly token?: string;
  /** What is asked beside all lists and the first resources, one request a line. */
  readonly asks: string;
  /** Whether its lists depend on what the client can be asked. */
  readonly looksAtClient?: boolean;
  /** What it makes up anew each time, in any text. */
  readonly varies?: RegExp;
  /** Members that the schema lacks, by the one that they are in: the official clients drop them, and ours keeps them. */
  readonly unknown?: Readonly<Record<string, readonly string[]>>;
}

type Server = Omit<Setup, "name" | "args">;

const OFFICIAL: Server = {
  program: "official_servers.ts",
  asks: `
    call add {"a": 1, "b": 2}
    call add {"a": "1"}
    call fail {}
    call blocks {}
    call greet {}
    call work {}
    call where {"region": "Zürich, 東"}
    read note:///3
    read note:///9
    read nothing:///
    prompt visit {"city": "Bern"}
    prompt visit {}
    complete visit city B
    complete visit day B
    complete note:///{id} id Ba`,
};
const EVERYTHING: Server = {
  program: "@modelcontextprotocol/server-everything/dist/index.js",
  looksAtClient: true,
  // In the second alternative, in Base64.
  varies: /\d{1,2}:\d\d:\d\d(?: [AP]M)?|(?<=IGNyZWF0ZWQg)[\w+/=]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  asks: `
    call echo {"message": "ü \u{1f600} \\u2028"}
    call echo {}
    call get-sum {"a": 1, "b": 2}
    call get-structured-content {"location": "Chicago"}
    call get-tiny-image {}
    call get-annotated-message {"messageType": "error", "includeImage": true}
    call get-resource-links {"count": 2}
    call get-resource-reference {"resourceType": "Text", "resourceId": 1}
    call trigger-sampling-request {"prompt": "x", "maxTokens": 7}
    call trigger-elicitation-request {}
    call get-roots-list {}
    call trigger-long-running-operation {"duration": 0.1, "steps": 2}
    read demo://resource/dynamic/text/1
    read demo://resource/dynamic/blob/1
    read demo://nothing
    prompt simple-prompt {}
    prompt args-prompt {"city": "Bern"}
    prompt args-prompt {}
    prompt resource-prompt {"resourceType": "Text", "resourceId": "1"}
    complete completable-prompt department e`,
};
const FASTMCP: Server = {
  program: "servers/frameworks.ts",
  unknown: { contents: ["name"] },
  asks: `
    call add {"a": 1, "b": 2}
    call add {"a": "1"}
    call fail {}
    call image {}
    read file:///Bern.txt
    read file:///none
    prompt visit {"city": "Bern"}
    prompt visit {}
    complete visit city B
    complete file:///{city}.txt city Ba`,
};
/** Without it, calls fail in the same way. */
const BROWSER = ["--headless", "--isolated", "--executable-path", "/usr/bin/chromium"];
const PAGE = "data:text/html,<title>T</title><h1>Hello</h1><button>Press</button>";
const PLAYWRIGHT: Server = {
  program: "@playwright/mcp/cli.js",
  varies: /\d{4}-\d\d-\d\dT[\d-]+Z?|\d+ms/g,
  asks: `
    call browser_navigate {"url": "${PAGE}"}
    call browser_snapshot {}
    call browser_click {"target": "nothing"}
    call browser_tabs {"action": "list"}
    call browser_close {}`,
};
const CONTEXT7: Server = {
  program: "@upstash/context7-mcp/dist/index.js",
  asks: `
    call resolve-library-id {"libraryName": "x", "query": "x"}
    call resolve-library-id {}`,
};
const NOTION: Server = {
  program: "@notionhq/notion-mcp-server/bin/cli.mjs",
  env: { NOTION_TOKEN: "ntn_none" },
  asks: `
    call API-get-self {}
    call API-retrieve-a-page {"page_id": "none"}`,
};
const FIRECRAWL: Server = {
  program: "firecrawl-mcp/dist/index.js",
  asks: `
    call firecrawl_scrape {"url": "https://example.invalid"}
    call firecrawl_scrape {}`,
};
const BRAVE: Server = {
  program: "@brave/brave-search-mcp-server/dist/index.js",
  env: { BRAVE_API_KEY: "none" },
  asks: `
    call brave_web_search {"query": "x"}
    call brave_web_search {}`,
};

export const SETUPS: readonly Setup[] = [
  { ...OFFICIAL, name: "official v1", args: ["v1"] },
  { ...OFFICIAL, name: "official v1", args: ["v1", "PORT"] },
  { ...OFFICIAL, name: "official v2", args: ["v2"] },
  { ...OFFICIAL, name: "official v2", args: ["v2", "PORT"] },
  { ...EVERYTHING, name: "everything", args: ["stdio"] },
  { ...EVERYTHING, name: "everything", args: ["streamableHttp"], env: { PORT: "PORT" } },
  {
    name: "filesystem",
    program: "@modelcontextprotocol/server-filesystem/dist/index.js",
    args: ["FOLDER"],
    asks: `
      call write_file {"path": "FOLDER/a.txt", "content": "ü\\n"}
      call read_text_file {"path": "FOLDER/a.txt"}
      call list_directory {"path": "FOLDER"}
      call read_text_file {"path": "/etc/hostname"}
      call read_text_file {}
      call list_allowed_directories {}`,
  },
  {
    name: "memory",
    program: "@modelcontextprotocol/server-memory/dist/index.js",
    env: { MEMORY_FILE_PATH: "FOLDER/memory.json" },
    asks: `
      call create_entities {"entities": [{"name": "A", "entityType": "t", "observations": ["o"]}]}
      call create_relations {"relations": [{"from": "A", "to": "A", "relationType": "is"}]}
      call read_graph {}
      call search_nodes {"query": "A"}
      call create_entities {"entities": 1}`,
  },
  {
    name: "sequential-thinking",
    program: "@modelcontextprotocol/server-sequential-thinking/dist/index.js",
    asks: `
      call sequentialthinking {"thought": "x", "nextThoughtNeeded": true, "thoughtNumber": 1, "totalThoughts": 2}
      call sequentialthinking {"thought": 1}`,
  },
  { ...FASTMCP, name: "fastmcp", args: ["fastmcp"] },
  { ...FASTMCP, name: "fastmcp", args: ["fastmcp", "PORT"] },
  {
    name: "mcp-lite",
    program: "servers/frameworks.ts",
    args: ["mcp-lite", "PORT"],
    asks: `
      call add {"a": 1, "b": 2}
      call add {"a": "1"}
      call fail {}
      call greet {}
      read note:///1
      read nothing:///
      prompt visit {"city": "Bern"}
      prompt visit {}`,
  },
  { ...CONTEXT7, name: "context7" },
  { ...CONTEXT7, name: "context7", args: ["--transport", "http", "--port", "PORT"] },
  { ...PLAYWRIGHT, name: "playwright", args: [...BROWSER, "--no-sandbox"] },
  {
    ...PLAYWRIGHT,
    name: "playwright",
    args: [...BROWSER, "--no-sandbox", "--allowed-hosts", "*", "--port", "PORT"],
  },
  {
    name: "devtools",
    program: "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js",
    args: [...BROWSER, "--chromeArg=--no-sandbox", "--no-usage-statistics", "--no-performance-crux"],
    unknown: { annotations: ["category", "conditions"] },
    asks: `
      call new_page {"url": "${PAGE}"}
      call take_snapshot {"pageId": 2}
      call evaluate_script {"pageId": 2, "function": "() => document.title"}
      call click {"pageId": 2, "uid": "nothing"}
      call list_pages {}
      call click {}`,
  },
  { ...NOTION, name: "notion" },
  {
    ...NOTION,
    name: "notion",
    args: ["--transport", "http", "--port", "PORT", "--auth-token", "secret"],
    token: "secret",
  },
  { ...FIRECRAWL, name: "firecrawl", env: { FIRECRAWL_API_KEY: "fc-none" } },
  {
    ...FIRECRAWL,
    name: "firecrawl",
    env: { FIRECRAWL_API_KEY: "fc-none", HTTP_STREAMABLE_SERVER: "true", PORT: "PORT" },
  },
  { ...BRAVE, name: "brave", args: ["--transport", "stdio"] },
  { ...BRAVE, name: "brave", args: ["--transport", "http", "--port", "PORT"] },
  {
    name: "sentry",
    program: "@sentry/mcp-server/dist/index.js",
    args: ["--access-token=none", "--sentry-dsn="],
    asks: `
      call find_organizations {}
      call search_docs {}
      call find_projects {"organizationSlug": 1}`,
  },
];
