/** Servers of many authors, each over the transports that it has, and what the clients ask of them side by side. */

/** A server, and what is asked of it. FOLDER and PORT are replaced in all texts. */
export interface Setup {
  readonly name: string;
  /** Below `node_modules`, here or in `servers`; or a module here. */
  readonly program: string;
  /** How it is started, each time as a line with variables of its environment; one with a PORT is asked over HTTP. */
  readonly starts: readonly string[];
  /** Sent over HTTP. */
  readonly token?: string;
  /** What is asked in addition to all lists and the first resources, one request per line. */
  readonly asks: string;
  /** Whether its lists depend on what the client can be asked. */
  readonly looksAtClient?: boolean;
  /** What it makes up anew each time, in any text. */
  readonly varies?: RegExp;
  /** Members that the schema lacks, by the one that they are in: the official clients drop them, and ours keeps them. */
  readonly unknown?: Readonly<Record<string, readonly string[]>>;
}

const OFFICIAL = {
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
/** Without the flags about the sandbox, calls fail in the same way. */
const BROWSER = "--headless --isolated --executable-path /usr/bin/chromium";
const PAGE = "data:text/html,<title>T</title><h1>Hello</h1><button>Press</button>";

export const SETUPS: readonly Setup[] = [
  { ...OFFICIAL, name: "official v1", starts: ["v1", "v1 PORT"] },
  { ...OFFICIAL, name: "official v2", starts: ["v2", "v2 PORT"] },
  {
    name: "everything",
    program: "@modelcontextprotocol/server-everything/dist/index.js",
    starts: ["stdio", "PORT=PORT streamableHttp"],
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
  },
  {
    name: "filesystem",
    program: "@modelcontextprotocol/server-filesystem/dist/index.js",
    starts: ["FOLDER"],
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
    starts: ["MEMORY_FILE_PATH=FOLDER/memory.json"],
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
    starts: [""],
    asks: `
      call sequentialthinking {"thought": "x", "nextThoughtNeeded": true, "thoughtNumber": 1, "totalThoughts": 2}
      call sequentialthinking {"thought": 1}`,
  },
  {
    name: "fastmcp",
    program: "servers/frameworks.ts",
    starts: ["fastmcp", "fastmcp PORT"],
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
  },
  {
    name: "mcp-lite",
    program: "servers/frameworks.ts",
    starts: ["mcp-lite PORT"],
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
  {
    name: "context7",
    program: "@upstash/context7-mcp/dist/index.js",
    starts: ["", "--transport http --port PORT"],
    asks: `
      call resolve-library-id {"libraryName": "x", "query": "x"}
      call resolve-library-id {}`,
  },
  {
    name: "playwright",
    program: "@playwright/mcp/cli.js",
    starts: [`${BROWSER} --no-sandbox`, `${BROWSER} --no-sandbox --allowed-hosts * --port PORT`],
    varies: /\d{4}-\d\d-\d\dT[\d-]+Z?|\d+ms/g,
    asks: `
      call browser_navigate {"url": "${PAGE}"}
      call browser_snapshot {}
      call browser_click {"target": "nothing"}
      call browser_tabs {"action": "list"}
      call browser_close {}`,
  },
  {
    name: "devtools",
    program: "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js",
    starts: [`${BROWSER} --chromeArg=--no-sandbox --no-usage-statistics --no-performance-crux`],
    unknown: { annotations: ["category", "conditions"] },
    asks: `
      call new_page {"url": "${PAGE}"}
      call take_snapshot {"pageId": 2}
      call evaluate_script {"pageId": 2, "function": "() => document.title"}
      call click {"pageId": 2, "uid": "nothing"}
      call list_pages {}
      call click {}`,
  },
  {
    name: "notion",
    program: "@notionhq/notion-mcp-server/bin/cli.mjs",
    starts: [
      "NOTION_TOKEN=ntn_none",
      "NOTION_TOKEN=ntn_none --transport http --port PORT --auth-token secret",
    ],
    token: "secret",
    asks: `
      call API-get-self {}
      call API-retrieve-a-page {"page_id": "none"}`,
  },
  {
    name: "firecrawl",
    program: "firecrawl-mcp/dist/index.js",
    starts: ["FIRECRAWL_API_KEY=fc-none", "FIRECRAWL_API_KEY=fc-none HTTP_STREAMABLE_SERVER=true PORT=PORT"],
    asks: `
      call firecrawl_scrape {"url": "https://example.invalid"}
      call firecrawl_scrape {}`,
  },
  {
    name: "brave",
    program: "@brave/brave-search-mcp-server/dist/index.js",
    starts: [
      "BRAVE_API_KEY=none --transport stdio",
      "BRAVE_API_KEY=none --transport http --port PORT",
    ],
    asks: `
      call brave_web_search {"query": "x"}
      call brave_web_search {}`,
  },
  {
    name: "sentry",
    program: "@sentry/mcp-server/dist/index.js",
    starts: ["--access-token=none --sentry-dsn="],
    asks: `
      call find_organizations {}
      call search_docs {}
      call find_projects {"organizationSlug": 1}`,
  },
];
