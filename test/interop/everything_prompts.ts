/** The prompts and resources that the official conformance suite wants of a server, in words of the public API. */

import type { Change, PromptProvider, ResourceProvider } from "../../lib/server/mod.ts";
import { resourceProvider } from "../../lib/server/mod.ts";

/** A picture of one red point. */
export const PNG: Uint8Array = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="),
  (unit) => unit.charCodeAt(0),
);

/** Something that tells of changes when it is told to. */
export class Bell {
  readonly #listeners = new Set<(change: Change) => void>();

  readonly watch = (listener: (change: Change) => void): () => void => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  ring(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** All resources. The bell tells of changes of the one that is watched. */
export function everyResource(bell: Bell): ResourceProvider {
  const provider = resourceProvider({
    resources: [
      {
        uri: "test://static-text",
        name: "static-text",
        description: "A text that does not change",
        mimeType: "text/plain",
        read: () => "This is the content of the static text resource.",
      },
      {
        uri: "test://static-binary",
        name: "static-binary",
        description: "A picture that does not change",
        mimeType: "image/png",
        read: () => PNG,
      },
      {
        uri: "test://watched-resource",
        name: "watched-resource",
        description: "A text that can be watched",
        mimeType: "text/plain",
        read: () => "This is the content of the watched resource.",
      },
    ],
    templates: [{
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data for an id",
      mimeType: "application/json",
      read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      values: () => ["123", "456"],
    }],
  });
  return { ...provider, watch: bell.watch };
}

type Given = Readonly<Record<string, string>>;
type Message = { readonly role: "user"; readonly content: Readonly<Record<string, unknown>> };

const said = (text: string): Message => ({ role: "user", content: { type: "text", text } });

/** All prompts. The bell tells that there are others. */
export function everyPrompt(bell: Bell): PromptProvider {
  const argument = (name: string, description: string) => ({ name, description, required: true });
  const listed = [
    {
      name: "test_input_required_result_prompt",
      description: "Asks the user before it says anything",
    },
    {
      name: "test_prompt_with_arguments",
      description: "Says its arguments",
      arguments: [argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
    },
    {
      name: "test_prompt_with_embedded_resource",
      description: "Embeds a resource",
      arguments: [argument("resourceUri", "URI of the resource to embed")],
    },
    { name: "test_prompt_with_image", description: "Shows a picture" },
    { name: "test_simple_prompt", description: "Says always the same" },
  ];
  return {
    list: () => listed,
    watch: bell.watch,
    values: (name, argument) =>
      name === "test_prompt_with_arguments" && argument.startsWith("arg")
        ? ["paris", "park", "party"]
        : undefined,
    async get(name, given, context) {
      const { arg1, arg2, resourceUri } = (given ?? {}) as Given;
      switch (name) {
        case "test_simple_prompt":
          return { messages: [said("This is a simple prompt for testing.")] };
        case "test_prompt_with_arguments":
          return { messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
        case "test_prompt_with_embedded_resource": {
          const text = "Embedded resource content for testing.";
          const resource = { uri: resourceUri, mimeType: "text/plain", text };
          return {
            messages: [
              { role: "user", content: { type: "resource", resource } },
              said("Please process the embedded resource above."),
            ],
          };
        }
        case "test_prompt_with_image":
          return {
            messages: [
              { role: "user", content: { type: "image", data: PNG_DATA, mimeType: "image/png" } },
              said("Please analyze the image above."),
            ],
          };
        case "test_input_required_result_prompt": {
          const { content } = await context.elicit({
            key: "user_context",
            message: "What context should the prompt use?",
            schema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
          });
          return { messages: [said(`Use this context: ${content?.context ?? "none"}`)] };
        }
        default:
          return undefined;
      }
    },
  };
}

const PNG_DATA = btoa(String.fromCharCode(...PNG));
