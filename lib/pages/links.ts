/** Where the links and images of a document lead: to pages, images, and files on the code host. */

import type { Document } from "../documents/document.ts";
import type { HtmlOptions } from "../formats/markdown/render.ts";
import type { PageRequest } from "./components.ts";
import { toBase64 } from "../base/base64.ts";
import { attempt } from "../base/text.ts";
import { filePath, findImage } from "../documents/images.ts";
import { addressOf } from "./components.ts";
import { markup } from "./markup.ts";

/** The size of the SVG images in a page of a site after which no other is embedded, in bytes. */
const MAX_EMBEDDED = 4 * 1024 * 1024;

export function linkOptions(request: PageRequest, document: Document): HtmlOptions {
  const { model: { catalogue, options }, base } = request;
  const urls = options.repository.urlsOf(document.path);
  let embedded = 0;
  /** The address of a file in the repository, which does not lead out of it. */
  const fileUrl = (target: string): string | undefined => {
    const path = urls && filePath(target);
    const url = path &&
      attempt(() => new URL(encodeURI(path).replace(/%25(?=[\da-f]{2})/gi, "%"), urls.view).href);
    return url && url.startsWith(urls.top) ? url : undefined;
  };
  const image = (target: string): string | undefined => {
    const found = findImage(options.files, document, target);
    if (!found) return undefined;
    const { address, path, type } = found, { images } = request;
    if (!images) return `${base}${address}?of=${encodeURIComponent(document.key)}`;
    // As a file, an SVG image could run scripts when it is opened.
    if (type.endsWith("+xml")) {
      const bytes = embedded < MAX_EMBEDDED ? found.read() : undefined;
      embedded += bytes?.length ?? 0;
      return bytes && `data:${type};base64,${toBase64(bytes)}`;
    }
    if (!images.has(address)) images.set(address, found);
    return images.get(address)?.path === path ? base + address : undefined;
  };
  return {
    link: (target) => {
      const { documents = [], fragment = "" } = catalogue.follow(document, target) ?? {};
      if (documents.length !== 1) {
        const shown = image(target);
        return shown?.startsWith(base) ? shown : fileUrl(target);
      }
      const page = documents[0] === document ? "" : base + addressOf(documents[0]!);
      return fragment === "" ? page || "#" : `${page}#${encodeURIComponent(fragment)}`;
    },
    image,
    linksBare: true,
    unlinked: (target) =>
      filePath(target) === undefined ? "" : ` ${markup`<span class="facts">(not published)</span>`.text}`,
    afterCode: (language) =>
      language === "mermaid" && urls
        ? markup`<p class="facts"><a href="${urls.view}">See this diagram drawn in the repository</a></p>\n`
          .text
        : "",
  };
}
