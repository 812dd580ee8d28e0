/** Kinds of media types: how bodies are written and answers are read. */

export type MediaKind = "json" | "form" | "multipart" | "text" | "bytes";

export function mediaKind(type: string): MediaKind {
  const plain = type.toLowerCase().split(";", 1)[0]!.trim();
  if (/^application\/(?:json|[\w.+-]+\+json)$|^text\/json$/.test(plain)) return "json";
  if (plain === "application/x-www-form-urlencoded") return "form";
  if (plain === "multipart/form-data") return "multipart";
  return plain.startsWith("text/") ? "text" : "bytes";
}
