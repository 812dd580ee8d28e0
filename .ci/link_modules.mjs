/**
 * Links modules into one, or into a few. Each becomes a function around the module's own text, which runs once, when its exports
 * are first needed: an import is a call of that function, and import() a later one.
 *
 * Exports are passed as values, so nothing exported may be assigned again and no modules may import each other: both are
 * checked.
 */
import * as syntax from "typescript/unstable/ast";
import { scopeOf } from "./syntax.mjs";

const { SyntaxKind } = syntax;

/** Runs the body of a module when its exports are first asked for; those who read the file need to know. */
const ONCE =
  `/** Each module is a function, named after its file: it runs once, when something first needs what it exports. */
function once(body) {
    let exports;
    return () => exports ??= body();
}`;

/**
 * Files that hold what is loaded together, by the modules that each begins with: the first responses, the tools, and the commands that
 * print documents. One file would start no faster, and each subpath of the package would load all of it.
 */
export const CHUNKS = {
  "transport.js": ["lib/jsonrpc/transport/stream.ts", "lib/jsonrpc/transport/protect_output.ts"],
  "server.js": ["lib/cli/main.ts", "lib/cli/serve.ts", "lib/platform/node.ts", "lib/mcp/server/lists.ts"],
  "documents.js": ["lib/documents/store.ts"],
  "records.js": ["lib/documents/records/as_record.ts", "lib/documents/document_records.ts"],
  "languages.js": ["lib/documents/records/languages.ts"],
  "prompts.js": ["lib/documents/prompts/store.ts"],
  "front_matter.js": ["lib/formats/markdown/front_matter.ts"],
  "yaml.js": ["lib/formats/markdown/yaml_value.ts"],
  "schema.js": ["lib/formats/schema/mod.ts"],
  "tools.js": ["lib/mcp/server/tool_call.ts", "lib/mcp/server/define_tool.ts"],
  "document_tools.js": ["lib/documents/tools.ts"],
  "commands.js": ["lib/cli/commands.ts"],
  "client.js": ["lib/mcp/client/connect.ts"],
  "show.js": ["lib/cli/show.ts"],
};

/** The chunk of each module that one begins with, and of all that it imports at once. */
function chunksOf(modules, chunks) {
  const chunkOf = new Map();
  const add = (name, chunk, importers) => {
    refuseCircle(name, importers);
    if (chunkOf.has(name)) return;
    chunkOf.set(name, chunk);
    for (const { moduleSpecifier } of modules.get(name).file.statements) {
      const needed = moduleSpecifier && modules.get(name).targetOf(moduleSpecifier);
      if (needed) add(needed, chunk, [...importers, name]);
    }
  };
  for (const [chunk, names] of Object.entries(chunks)) for (const name of names) add(name, chunk, []);
  return chunkOf;
}

function refuseCircle(name, importers) {
  if (importers.includes(name)) throw new Error(`Cannot link a circle: ${[...importers, name].join(" -> ")}`);
}

/** Refuses modules that call something by the name that the function of a module will have. */
function refuseTakenNames(modules, linked) {
  const scopes = new Set(Array.from(linked, scopeOf));
  for (const name of linked) {
    modules.get(name).walk((node) => {
      if (syntax.isIdentifier(node) && scopes.has(node.text)) {
        modules.get(name).refuse(node, "the name is taken by a module");
      }
    });
  }
}

const outputOf = (name) => name.replace(/ts$/, "js");

/**
 * Links the modules of each chunk, and replaces each of them by one that exports the same from there: Node takes as long to find and
 * open a module as to read 200 lines. Returns the texts of all these files, by path.
 */
export function linkChunks(modules, chunks) {
  const chunkOf = chunksOf(modules, chunks), files = new Map();
  refuseTakenNames(modules, [...chunkOf.keys()]);
  const parts = new Map(Object.keys(chunks).map((chunk) => [chunk, new Set([ONCE])]));
  for (const [name, chunk] of chunkOf) {
    const scope = scopeOf(name), part = parts.get(chunk);
    const isHere = (target) => chunkOf.get(target) === chunk;
    const { needs, exports, waits, text } = makeUnit(modules.get(name), { isSoon: true, isHere });
    if (waits) throw new Error(`Cannot link ${name} into ${chunk}: it imports from the runtime`);
    for (const needed of needs.filter((target) => !isHere(target))) {
      part.add(`import { ${scopeOf(needed)} } from "./${chunkOf.get(needed)}";`);
    }
    part.add(`${text}\nexport { ${scope} };`);
    const names = exports.map((one) => one.replace(/:.*/, "")).join(", ");
    const from = ("../".repeat(name.split("/").length - 1) || "./") + chunk;
    files.set(
      outputOf(name),
      `import { ${scope} } from "${from}";\nexport const { ${names} } = ${scope}();\n`,
    );
  }
  for (const [chunk, part] of parts) files.set(chunk, `${[...part].join("\n\n")}\n`);
  return files;
}

/** Links all that the entry needs, now or later; what the entry exports, the result exports. */
export function linkModules(modules, entry, chunks = {}) {
  const chunkOf = chunksOf(modules, chunks);
  const linked = new Map();
  const link = (name, importers) => {
    refuseCircle(name, importers);
    if (linked.has(name)) return;
    const unit = makeUnit(modules.get(name), { isEntry: name === entry, isSoon: chunkOf.has(name) });
    const missing = [...unit.needs, ...unit.later].find((other) => !modules.has(other));
    if (missing) throw new Error(`Cannot link ${name}: it imports ${missing}, which is not there`);
    for (const needed of unit.needs) {
      link(needed, [...importers, name]);
      if (!linked.get(needed).waits) continue;
      throw new Error(
        `Cannot link ${name}: only import() can wait for ${needed}, which imports from the runtime`,
      );
    }
    linked.set(name, unit);
  };
  link(entry, []);
  // A map that grows is walked to its new end.
  for (const { later } of linked.values()) for (const name of later) link(name, []);
  refuseTakenNames(modules, [...linked.keys()]);
  const { text } = linked.get(entry);
  linked.delete(entry);
  return [ONCE, ...Array.from(linked.values(), (unit) => unit.text), text].join("\n\n");
}

/**
 * One module as a function, with what it imports at once (`needs`) and what it may import `later`. V8 compiles a function in brackets
 * of its own in one go, which pays for those that run soon; of others it finds the end first.
 */
function makeUnit(module, { isEntry = false, isSoon = false, isHere = () => true }) {
  const unit = { needs: [], later: [], exports: [], waits: false };
  const { statements } = module.file;
  const first = statements.findIndex((statement) => !syntax.isImportDeclaration(statement));
  for (const [index, statement] of statements.entries()) {
    if (syntax.isImportDeclaration(statement)) {
      if (first !== -1 && index > first) module.refuse(statement, "imports come first");
      rewriteImport(module, unit, statement);
    } else if (syntax.isExportDeclaration(statement)) rewriteExports(module, unit, statement, isEntry);
    else if (!isEntry) rewriteDeclaration(module, unit, statement);
  }
  module.walk((node) => {
    if (syntax.isMetaProperty(node) && node.keywordToken === SyntaxKind.ImportKeyword && !isEntry) {
      module.refuse(node, "only the entry knows where it is");
    }
    if (syntax.isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const target = module.targetOf(node.arguments[0]);
      if (target === undefined) return;
      unit.later.push(target);
      module.replace(
        node,
        isHere(target) ? `Promise.resolve().then(${scopeOf(target)})` : `import("./${outputOf(target)}")`,
      );
    }
  });
  const lines = [`// ${module.name}`, module.changed()];
  if (!isEntry) {
    const [open, close] = isSoon ? ["((", "))"] : ["(", ")"];
    lines.splice(1, 0, `const ${scopeOf(module.name)} = once${open}${unit.waits ? "async " : ""}() => {`);
    lines.push(`return { ${unit.exports.join(", ")} };`, `}${close};`);
  }
  return { ...unit, text: lines.join("\n") };
}

function rewriteImport(module, unit, statement) {
  const { importClause: clause, moduleSpecifier, attributes } = statement;
  const target = module.targetOf(moduleSpecifier);
  if (attributes || clause?.phaseModifier || (clause?.name && target)) {
    module.refuse(statement, "imports are plain and named");
  }
  if (target) unit.needs.push(target);
  else unit.waits = true;
  const value = target ? `${scopeOf(target)}()` : `await import(${module.textOf(moduleSpecifier)})`;
  const bindings = clause?.namedBindings;
  const names = [];
  if (clause?.name) names.push(`{ default: ${clause.name.text} }`);
  if (bindings) {
    names.push(syntax.isNamespaceImport(bindings) ? bindings.name.text : pattern(module.pairsOf(bindings)));
  }
  module.replace(
    statement,
    names.length === 0 ? `${value};` : names.map((name) => `const ${name} = ${value};`).join("\n"),
  );
}

function rewriteExports(module, unit, statement, isEntry) {
  const { exportClause: list, moduleSpecifier, attributes } = statement;
  if (attributes || !list || !syntax.isNamedExports(list)) {
    module.refuse(statement, "names are exported one by one");
  }
  const pairs = module.pairsOf(list);
  if (!moduleSpecifier) {
    if (isEntry) return;
    if (pairs.length > 0) module.refuse(statement, "what is exported is exported where it is declared");
    module.replace(statement, "");
    return;
  }
  const target = module.targetOf(moduleSpecifier) ??
    module.refuse(statement, "only modules of this program are passed on");
  unit.needs.push(target);
  const value = `${scopeOf(target)}()`;
  module.replace(statement, isEntry ? `export const ${pattern(pairs)} = ${value};` : `${value};`);
  unit.exports.push(...pairs.map(([there, here]) => `${here}: ${value}.${there}`));
}

function rewriteDeclaration(module, unit, statement) {
  const modifiers = statement.modifiers ?? [];
  const isDefault = modifiers.some(({ kind }) => kind === SyntaxKind.DefaultKeyword);
  if (isDefault || syntax.isExportAssignment(statement)) {
    module.refuse(statement, "imports and exports have names");
  }
  const exported = modifiers.find(({ kind }) => kind === SyntaxKind.ExportKeyword);
  if (!exported) return;
  const list = statement.declarationList;
  if (list && !module.textOf(list).startsWith("const ")) {
    module.refuse(statement, "what is exported is a constant");
  }
  for (const { name } of list?.declarations ?? [statement]) {
    if (!syntax.isIdentifier(name)) module.refuse(statement, "names are exported one by one");
    unit.exports.push(name.text);
  }
  module.remove(exported);
}

function pattern(pairs) {
  return `{ ${pairs.map(([there, here]) => there === here ? here : `${there}: ${here}`).join(", ")} }`;
}
