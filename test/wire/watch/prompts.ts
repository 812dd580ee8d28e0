import { truncateSync, utimesSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Group, Picture, Row } from "../../harness/watched.ts";
import { Watched } from "../../harness/watched.ts";
import { definition } from "../../prompts/definitions.ts";

const UNTOLD = { told: [] } as const;

/** A definition file with one message. */
function file(name: string, text: string, description = "Old"): string {
  return definition(text, { name, description });
}

/** What is seen of prompts with these texts. */
function prompts(texts: Readonly<Record<string, string>>, description = "Old"): Picture {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => [[`prompt ${name}`, description], [`get ${name}`, text]]),
  );
}

/** Makes a change that is told, and waits for these prompts. */
function become(
  shelf: Watched,
  test: Parameters<Watched["row"]>[0],
  name: string,
  change: () => void | Promise<void>,
  after: Picture,
  row: Partial<Row> = {},
): Promise<void> {
  return shelf.row(test, name, { change, see: () => shelf.prompts(), after, told: ["prompts"], ...row });
}

export const PROMPTS: readonly Group[] = [
  {
    name: "one file after the other",
    run: async (t) => {
      const a = "prompts/a.json";
      const b = "prompts/b.json";
      const shelf = await Watched.start(t, { [a]: file("a", "A"), "resources/docs/a.md": "# A\n" });
      const both = prompts({ a: "A", b: "B" });
      await become(shelf, t, "prompt: create", () => shelf.write(b, file("b", "B")), both);
      const changed = prompts({ a: "New", b: "B" });
      const modify = () => shelf.write(a, file("a", "New"));
      await become(shelf, t, "prompt: modify what it says", modify, changed, UNTOLD);
      const told = { ...prompts({ a: "New" }, "New"), ...prompts({ b: "B" }) };
      const describe = () => shelf.write(a, file("a", "New", "New"));
      await become(shelf, t, "prompt: modify what is listed", describe, told);
      await become(shelf, t, "prompt: touch", () => utimesSync(shelf.path(a), 1, 1), told, UNTOLD);
      await become(shelf, t, "prompt: broken", () => shelf.write(a, '{"name": "a", '), told, UNTOLD);
      await become(shelf, t, "prompt: broken again", () => shelf.write(a, '{"name": "a", '), told, UNTOLD);
      await become(shelf, t, "prompt: mended", () => shelf.write(a, file("a", "A")), both);
      await become(shelf, t, "prompt: half written for 200 ms", async () => {
        const text = file("a", "Whole", "Whole");
        truncateSync(shelf.path(a));
        await pause(200);
        shelf.write(a, text);
      }, { ...prompts({ a: "Whole" }, "Whole"), ...prompts({ b: "B" }) });
      await become(
        shelf,
        t,
        "prompt: another name",
        () => shelf.write(a, file("c", "C")),
        prompts({ b: "B", c: "C" }),
      );
      await become(shelf, t, "prompt: delete", () => shelf.remove(a), prompts({ b: "B" }));
      await shelf.close(
        /^architrave: error: prompts\/a\.json: The prompt cannot be used as it is: .*\n$/,
      );
    },
  },

  {
    name: "the folder",
    run: async (t) => {
      const shelf = await Watched.start(t, { "resources/docs/a.md": "# A\n" });
      const write = () => shelf.write("prompts/a.json", file("a", "A"));
      const remove = () => shelf.remove("prompts");
      await become(shelf, t, "prompts/ appears", write, prompts({ a: "A" }));
      await become(shelf, t, "prompts/ vanishes", remove, {});
      await become(shelf, t, "prompts/ appears again", write, prompts({ a: "A" }));
      await become(shelf, t, "prompts/ vanishes and appears at once", () => {
        remove();
        shelf.write("prompts/b.json", file("b", "B"));
      }, prompts({ b: "B" }));
      await become(
        shelf,
        t,
        "prompt: modify after that",
        () => shelf.write("prompts/b.json", file("b", "C", "New")),
        prompts({ b: "C" }, "New"),
      );
      await shelf.close();
    },
  },

  {
    name: "the documents that they embed",
    run: async (t) => {
      const shelf = await Watched.start(t, {
        "prompts/a.json": file("a", "<<resource:architecture://docs/a>>"),
        "resources/docs/a.md": "Old.",
      });
      const says = (text: string) => prompts({ a: `[architecture://docs/a] a\n\n${text}` });
      await become(
        shelf,
        t,
        "embedded: emptied, filled after 200 ms",
        async () => {
          truncateSync(shelf.path("resources/docs/a.md"));
          await pause(200);
          shelf.write("resources/docs/a.md", "New.");
        },
        says("New."),
        { told: ["resources"] },
      );
      await shelf.close();
    },
  },
];
