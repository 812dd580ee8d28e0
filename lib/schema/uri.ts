/** Which URI does a reference mean, seen from a base? RFC 3986, section 5.2; nothing is normalised beyond that. */

interface Parts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
}

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/;

/** Cuts a reference in front of its fragment; the fragment is undefined when it has none. */
export function splitFragment(reference: string): [uri: string, fragment: string | undefined] {
  const hash = reference.indexOf("#");
  return hash < 0 ? [reference, undefined] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

/** Resolves a reference without a fragment. The base may itself be relative, and so may the result. */
export function resolveUri(reference: string, base: string): string {
  if (reference === "") return base;
  const given = parse(reference);
  if (given.scheme !== undefined) return write({ ...given, path: withoutDots(given.path) });
  const { scheme, authority, path, query } = parse(base);
  if (given.authority !== undefined) return write({ ...given, scheme, path: withoutDots(given.path) });
  if (given.path === "") return write({ scheme, authority, path, query: given.query ?? query });
  const merged = given.path.startsWith("/") ? given.path : merge(authority, path, given.path);
  return write({ scheme, authority, path: withoutDots(merged), query: given.query });
}

/** Puts a relative path in place of what follows the last slash of the base. */
function merge(authority: string | undefined, base: string, path: string): string {
  if (authority !== undefined && base === "") return `/${path}`;
  return base.slice(0, base.lastIndexOf("/") + 1) + path;
}

function withoutDots(path: string): string {
  if (!path.includes(".")) return path;
  const segments = path.split("/");
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "..") {
      // The empty segment in front of the first slash is no folder that could be left.
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== "")) kept.pop();
    } else if (segment !== ".") kept.push(segment);
    if (isLast && (segment === "." || segment === "..")) kept.push("");
  }
  return kept.join("/");
}

function parse(uri: string): Parts {
  const [, scheme, authority, path = "", query] = PARTS.exec(uri)!;
  return { scheme, authority, path, query };
}

function write({ scheme, authority, path, query }: Parts): string {
  const prefix = (scheme === undefined ? "" : `${scheme}:`) +
    (authority === undefined ? "" : `//${authority}`);
  return prefix + path + (query === undefined ? "" : `?${query}`);
}
