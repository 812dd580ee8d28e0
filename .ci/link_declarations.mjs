/**
 * Links declarations into one file. Each module becomes a namespace around its own text, an import becomes an alias, and
 * the names that the entry exports come last. Declarations that these do not lead to are dropped.
 */
import * as syntax from "typescript/unstable/ast";
import { scopeOf } from "./syntax.mjs";

/** Links the declarations that the entry leads to. */
export function linkDeclarations(modules, entry) {
  const linked = new Map();
  const link = (name) => {
    if (linked.has(name)) return;
    linked.set(name, undefined);
    linked.set(name, makeNamespace(modules.get(name), name === entry, link));
  };
  link(entry);
  // Without an export list, a file of declarations exports the namespaces too.
  return [...[...linked.values()].reverse(), "export {};"].join("\n\n");
}

function makeNamespace(module, isEntry, link) {
  for (const statement of module.file.statements) {
    if (syntax.isImportDeclaration(statement)) {
      const { name, namedBindings: bindings } = statement.importClause ?? {};
      if (!bindings || name) module.refuse(statement, "imports are plain and named");
      if (syntax.isNamedImports(bindings)) alias(module, statement, "import", bindings, link);
      else {
        const target = targetOf(module, statement, link);
        module.replace(statement, `import ${bindings.name.text} = ${scopeOf(target)};`);
      }
    } else if (syntax.isExportDeclaration(statement)) {
      const { exportClause: list, moduleSpecifier } = statement;
      if (!list || !syntax.isNamedExports(list)) module.refuse(statement, "names are exported one by one");
      if (moduleSpecifier) alias(module, statement, "export import", list, link);
      else if (list.elements.length === 0) module.replace(statement, "");
      else module.refuse(statement, "what is exported is exported where it is declared");
    } else if (syntax.isExportAssignment(statement)) {
      module.refuse(statement, "imports and exports have names");
    } else if (!isEntry) {
      // Inside a namespace that is only declared, everything is.
      const declared = statement.modifiers?.find((modifier) => module.textOf(modifier) === "declare");
      if (declared) module.remove(declared);
    }
  }
  module.walk((node) => {
    if (syntax.isImportTypeNode(node)) module.refuse(node, "types are imported by statements");
  });
  const text = `// ${module.name}\n`;
  return isEntry
    ? text + module.changed()
    : `${text}declare namespace ${scopeOf(module.name)} {\n${module.changed()}\n}`;
}

/** Puts one alias for each name in the place of a statement that names another module. */
function alias(module, statement, words, list, link) {
  const target = targetOf(module, statement, link);
  const aliases = module.pairsOf(list).map(([there, here]) =>
    `${words} ${here} = ${scopeOf(target)}.${there};`
  );
  module.replace(statement, aliases.join("\n"));
}

/** The module that a statement names, which is linked too. */
function targetOf(module, statement, link) {
  const target = module.targetOf(statement.moduleSpecifier) ??
    module.refuse(statement, "types of the runtime are not part of what is exported");
  link(target);
  return target;
}
