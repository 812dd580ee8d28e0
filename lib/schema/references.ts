/** Which schema does a reference lead to? One of the same document, or a well-known one; nothing is ever fetched. */

import type { Node, Resource } from "./document.ts";
import { keyword, SchemaDocument } from "./document.ts";
import { META_SCHEMAS } from "./meta_schemas.ts";
import { SchemaError } from "./schema_error.ts";
import { resolveUri, splitFragment } from "./uri.ts";

/** Where a reference leads. */
export interface Target {
  readonly node: Node;
  /** The name under which an outer schema may take the place of the target: `$dynamicRef` only. */
  readonly dynamic: string | undefined;
}

/** Finds schemas by reference. */
export class References {
  readonly #document: SchemaDocument;
  /** Well-known documents that were asked for. */
  readonly #wellKnown = new Map<string, SchemaDocument>();

  /** Looks in one document, and in what is well-known. */
  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /**
   * Follows a reference.
   *
   * @throws {SchemaError} When it leads nowhere, or out of the document.
   */
  follow(node: Node, name: "$ref" | "$dynamicRef"): Target {
    const reference = keyword(node, name) as string;
    const [uri, fragment = ""] = splitFragment(reference);
    const resource = uri === "" ? node.resource : this.#resource(resolveUri(uri, node.resource.uri));
    if (!resource) {
      throw refusal(node, name, "leads out of the schema; put what it means into $defs, nothing is fetched");
    }
    const target = this.#within(
      resource,
      fragment,
      () => refusal(node, name, "leads to nothing in the schema"),
    );
    const isDynamic = name === "$dynamicRef" && keyword(target, "$dynamicAnchor") === fragment;
    return { node: target, dynamic: isDynamic ? fragment : undefined };
  }

  #resource(uri: string): Resource | undefined {
    const own = this.#document.resources.get(uri);
    if (own) return own;
    const schema = META_SCHEMAS.get(uri);
    if (!schema) return undefined;
    const known = this.#wellKnown.get(uri) ?? new SchemaDocument(schema, uri, `${uri}#`);
    this.#wellKnown.set(uri, known);
    return known.resources.get(uri);
  }

  #within(resource: Resource, fragment: string, nothing: () => SchemaError): Node {
    const decoded = decode(fragment);
    if (decoded === undefined) throw nothing();
    const isAnchor = decoded !== "" && !decoded.startsWith("/");
    const target = isAnchor
      ? resource.anchors.get(decoded)
      : resource.document.at(resource.pointer + decoded);
    if (!target) throw nothing();
    return target;
  }
}

function refusal(node: Node, name: string, reason: string): SchemaError {
  return new SchemaError(`${node.resource.document.prefix}${node.pointer}/${name}`, reason);
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch (cause) {
    // A percent sign that encodes nothing names nothing.
    if (cause instanceof URIError) return undefined;
    throw cause;
  }
}
