/** The command site: the pages as files for a static host. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import type { FileChange } from "./transaction.ts";
import { sha256 } from "../base/bytes.ts";
import { attempt } from "../base/text.ts";
import { isHidden } from "../documents/files.ts";
import { DATED_RULES } from "../documents/rules.ts";
import { walkFiles } from "../documents/walk.ts";
import { Model } from "../pages/model.ts";
import { imagesIn, isOfSite, renderSite } from "../pages/site.ts";
import { CommandError, trimmedPath, UsageError } from "./options.ts";
import { sampleNote } from "./folder_text.ts";
import { assembleOnce } from "./once.ts";
import { findProblems } from "./problems.ts";
import { parentOf } from "./paths.ts";
import { readRepository } from "./repository.ts";
import { write } from "./write.ts";

/** Lists the files that would be written or deleted, does that with `--write`, or fails with `--check` when there are any. */
export async function site(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const folder = trimmedPath(options.operands[0]!);
  if (folder === "") throw new UsageError("site takes the folder to write to, such as public");
  const [origin, base] = readBase(options.get("base") ?? "/");
  const { documents, folders } = await assembleOnce(platform, options);
  await documents.ready();
  const { store } = documents;
  // Nothing may depend on the day.
  const check = async () =>
    (await findProblems(platform, options, store, folders)).findings
      .filter(({ rule }) => !DATED_RULES.includes(rule));
  const note = sampleNote(folders);
  const repository = readRepository(files, options, folders);
  const model = new Model(store, { files, repository, check, today: "", note });
  const { files: pages, images } = await renderSite(model, base, origin);
  const taken = model.catalogue.categories.find((name) => pages.has(name));
  if (taken !== undefined) {
    throw new CommandError(
      `Cannot make the site: the category "${taken}" has the name of a file of it; rename the category`,
    );
  }
  return await write(
    platform,
    options,
    folder,
    async (read, readAll) => {
      const refuse = (path: string): never => {
        const reason = "site did not make it and does not overwrite it";
        throw new CommandError(`Cannot write "${path}": ${reason}; move it, or name another folder`);
      };
      const known = imagesIn(read(`${folder}/search.json`));
      const changes: FileChange[] = [];
      for (const name of new Set([...images.keys(), ...known.keys()])) {
        const path = `${folder}/${name}`, after = images.get(name), before = readAll(path);
        const now = before && await sha256(before), isSame = after && now === await sha256(after);
        if (!isSame && now !== undefined && now !== known.get(name)) {
          if (after) refuse(path);
        } else if (before || after) changes.push({ path, before, after: isSame ? before : after });
      }
      const current = Array.from(pages, ([name, after]): FileChange => {
        const path = `${folder}/${name}`, before = read(path);
        if (before === undefined ? !attempt(() => files.status(path)) : isOfSite(before)) {
          // Git may have written other line ends on Windows.
          return { path, before, after: before?.replaceAll("\r\n", "\n") === after ? before : after };
        }
        return refuse(path);
      });
      const within = attempt(() => files.realPath(folder)) ?? folder;
      const all = [...walkFiles(files, folder, isHidden)];
      // Pages of other sites below this folder stay, and so do files that are reached through links.
      const inner = all.filter((name) => name.endsWith("/search.json")).map(parentOf);
      const others = all.filter((name) =>
        name.endsWith(".html") && !pages.has(name.normalize("NFC")) &&
        attempt(() => files.realPath(`${folder}/${name}`)) ===
          [within, ...name.split("/")].join(files.separator) &&
        !inner.some((other) => name.startsWith(`${other}/`))
      );
      const gone = others.sort().flatMap((name): FileChange[] => {
        const path = `${folder}/${name}`, before = read(path);
        return before !== undefined && isOfSite(before) ? [{ path, before, after: undefined }] : [];
      });
      return [...current, ...changes, ...gone];
    },
    { showsDiff: false },
  );
}

/** Splits where a site will be into "https://example.com", or "", and "/path/". Throws a `UsageError` for anything else. */
function readBase(text: string): readonly [origin: string, path: string] {
  const url = attempt(() => new URL(text, "http://localhost"));
  const isPath = /^\/(?!\/)/.test(text), path = url?.pathname.replace(/\/?$/, "/") ?? "";
  const isPlain = !/[?#@\\]|\.\./.test(text) && !path.includes("//");
  if (url && isPlain && (isPath || /^https?:\/\//.test(text))) return [isPath ? "" : url.origin, path];
  const forms = "a path such as /docs/ or a URL such as https://example.com/docs/";
  throw new UsageError(`--base takes ${forms}, not "${text}"`);
}
