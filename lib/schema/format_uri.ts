/** Is this a URI? RFC 3986, and RFC 6570 for templates. What must not be there is looked for, so that nothing is tried twice. */

import { isIpv6 } from "./format_host.ts";

/** Finds anything but unreserved characters, delimiters of schemes, encoded octets, and what is allowed besides. */
const others = (allowed: string): RegExp =>
  new RegExp(`[^A-Za-z0-9._~!$&'()*+,;=%${allowed}-]|%(?![0-9A-Fa-f]{2})`);

const NOT_IN_USER = others(":");
const NOT_IN_HOST = others("");
const NOT_IN_PATH = others(":@/");
const NOT_IN_QUERY = others(":@/?");

/** A URI with a scheme. */
export function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && isUriReference(text);
}

/** A URI, or what may stand in place of one where there is a base. */
export function isUriReference(text: string): boolean {
  const found = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text)!;
  const [, scheme, authority, path = "", query = "", fragment = ""] = found;
  // What stands before the first colon is a scheme or nothing at all: a relative path must not look like one.
  if (scheme !== undefined && !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return false;
  return (authority === undefined || isAuthority(authority)) && !NOT_IN_PATH.test(path) &&
    !NOT_IN_QUERY.test(query) && !NOT_IN_QUERY.test(fragment);
}

function isAuthority(authority: string): boolean {
  const found = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority);
  if (!found) return false;
  const [, user = "", host = "", port = ""] = found;
  if (NOT_IN_USER.test(user) || /[^0-9]/.test(port)) return false;
  const literal = /^\[(.*)\]$/s.exec(host)?.[1];
  if (literal === undefined) return !NOT_IN_HOST.test(host);
  return isIpv6(literal) || /^v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i.test(literal);
}

/** A URI with expressions in braces. */
export function isUriTemplate(text: string): boolean {
  let fits = true;
  const literals = text.replace(/\{([^{}]*)\}/g, (_, expression: string) => {
    fits &&= isExpression(expression);
    return "";
  });
  // deno-lint-ignore no-control-regex
  return fits && !/[\x00-\x20"<>\\^`{|}\x7f-\x9f]|%(?![0-9A-Fa-f]{2})/.test(literals);
}

/** An operator, and variables with how much of each is put in. Operators that are kept for later are let through. */
function isExpression(text: string): boolean {
  return text.replace(/^[+#./;?&=,!@|]/, "").split(",").every((variable) => {
    const [, name] = /^(.*?)(?:\*|:[1-9][0-9]{0,3})?$/s.exec(variable)!;
    return name!.split(".").every((part) => part !== "" && !/[^A-Za-z0-9_%]|%(?![0-9A-Fa-f]{2})/.test(part));
  });
}
