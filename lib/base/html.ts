/** Escapes text for HTML. */

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" } as const;

/** Escapes text for HTML and XML, including quoted attributes. Characters that XML does not allow are replaced by U+FFFD. */
export function escapeHtml(text: string): string {
  const allowed = text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, "\ufffd");
  return allowed.replace(/[&<>"']/g, (mark) => ENTITIES[mark as keyof typeof ENTITIES]);
}
