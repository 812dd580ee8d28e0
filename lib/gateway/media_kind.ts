/** Kinds of media types: how bodies are written and answers are read. */

/** In the order in which a body is chosen when an API accepts several. */
export const MEDIA_KINDS = ["json", "form", "multipart", "text", "bytes"] as const;

export function mediaKind(type: string): (typeof MEDIA_KINDS)[number] {
  const plain = type.toLowerCase().split(";", 1)[0]!.trim();
  if (/^application\/(?:json|[\w.+-]+\+json)$|^text\/json$/.test(plain)) return "json";
  if (plain === "application/x-www-form-urlencoded") return "form";
  if (plain === "multipart/form-data") return "multipart";
  return plain.startsWith("text/") ? "text" : "bytes";
}
