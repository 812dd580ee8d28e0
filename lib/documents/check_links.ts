/** Checks the links of documents. */

import type { Corpus } from "./check_corpus.ts";
import type { Finding } from "./finding.ts";
import { problem } from "./rules.ts";
import { decode } from "./uri.ts";

/** Fragments that code hosts support on every page: its top, and the lines of its source. */
const HOST_FRAGMENT = /^(?:top|L\d+(?:-L?\d+)?)?$/;

/** Reports the links without a target. */
export function* checkLinks({ catalogue, links, anchors }: Corpus): Generator<Finding> {
  const folders = new Map(catalogue.documents.map(({ category, within }) => [category, within]));
  for (const { from, target, line } of links) {
    const broken = (rule: string, what: string) =>
      problem(rule, from.label, `The link leads to ${target}, ${what}`, line);
    const followed = catalogue.follow(from, target);
    if (!followed) continue;
    const { documents, key, fragment } = followed;
    const [document] = documents;
    if (documents.length > 1) {
      yield broken("link-dead", `which names ${documents.map(({ label }) => label).join(" and ")}`);
    } else if (document) {
      const known = anchors.get(document.key);
      if (!known || HOST_FRAGMENT.test(fragment) || known.has(fragment)) continue;
      yield broken("link-section-dead", `and ${document.label} has no such section`);
    } else {
      const category = key === undefined ? from.category : decode(/^[^/]*(?=\/)/.exec(key)?.[0] ?? "");
      const folder = folders.get(category);
      // A link into a mounted folder may be correct in the repository of the documents.
      if (category === from.category || folder === from.within) {
        yield broken("link-dead", "which is not served");
      } else if (folder === undefined) yield broken("link-leaves", "out of the folders that are served");
    }
  }
}
