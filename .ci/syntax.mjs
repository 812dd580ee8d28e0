/**
 * The imports and exports of modules, from the compiler's own syntax trees. Forms that the linkers do not support are
 * errors.
 *
 * TypeScript calls this interface unstable. The lock file pins it, and another version would end the build.
 */
import { rmSync, writeFileSync } from "node:fs";
import { isStringLiteral } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

/** Parses all files of a folder with an ending. Each module goes by the path of its source, from that folder. */
export function parseProject(folder, ending) {
  const settings = `${folder}/tsconfig.json`;
  const compilerOptions = { allowJs: true, noEmit: true, noLib: true, noResolve: true, types: [] };
  writeFileSync(settings, JSON.stringify({ compilerOptions, include: [`**/*${ending}`] }));
  const api = new API({ cwd: folder });
  const [{ program, configFileName }] = api.updateSnapshot({ openProject: settings })
    .getProjects();
  const above = configFileName.length - "tsconfig.json".length;
  const modules = program.getSourceFileNames().map((path) =>
    new Module(path.slice(above), program.getSourceFile(path))
  );
  // The compiler may end with "context canceled", which is not an error.
  api.close();
  rmSync(settings);
  return new Map(modules.map((module) => [module.name, module]));
}

/** What a module is called inside a single file. */
export const scopeOf = (name) => name.replaceAll(/[/.]/g, "_");

const sourceOf = (file) => file.replace(/(?:\.d)?\.[jt]s$/, ".ts");

/** A parsed module, with the changes that are to be made to its text. */
export class Module {
  #changes = [];

  constructor(path, file) {
    this.name = sourceOf(path);
    this.file = file;
  }

  textOf(node) {
    return this.file.text.slice(node.getStart(this.file), node.end);
  }

  /** Puts a text in the place of a node. */
  replace(node, text) {
    this.#changes.push({ from: node.getStart(this.file), to: node.end, text });
  }

  /** Takes a word away, with the space after it. */
  remove(node) {
    this.#changes.push({ from: node.getStart(this.file), to: node.end + 1, text: "" });
  }

  /** The text with all changes made, without the line that makes it a command. */
  changed() {
    let { text } = this.file;
    for (const change of this.#changes.toSorted((a, b) => b.from - a.from)) {
      text = text.slice(0, change.from) + change.text + text.slice(change.to);
    }
    return text.replace(/^#!.*/, "").trim();
  }

  /** The module that a specifier leads to, or undefined for one of the runtime. */
  targetOf(specifier) {
    if (!specifier || !isStringLiteral(specifier)) {
      this.refuse(specifier ?? this.file, "a module is named by a literal");
    }
    if (specifier.text.startsWith("node:")) return undefined;
    if (/^\.\.?\//.test(specifier.text)) {
      return sourceOf(new URL(specifier.text, `file:///${this.name}`).pathname.slice(1));
    }
    return this.refuse(specifier, "only modules of this program and of the runtime are imported");
  }

  /** What a list between braces binds, as pairs: the name over there, and the name here. */
  pairsOf(list) {
    return list.elements.map((element) => {
      const pair = [(element.propertyName ?? element.name).text, element.name.text];
      if (pair.includes("default")) this.refuse(element, "imports and exports have names");
      return pair;
    });
  }

  /** Shows a callback every node, in the order of the text. */
  walk(callback, node = this.file) {
    node.forEachChild((child) => {
      callback(child);
      this.walk(callback, child);
    });
  }

  /** Ends the build: better no file than one that does something else than its sources. */
  refuse(node, rule) {
    const line = this.file.text.slice(0, node.getStart(this.file)).split("\n").length;
    const [text] = this.textOf(node).split("\n");
    throw new Error(`Cannot link ${this.name}: ${rule}, but line ${line} of its output is ${text}`);
  }
}
