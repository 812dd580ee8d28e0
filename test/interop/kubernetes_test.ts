/** The manifest that is shipped is what a cluster takes: its schemas are asked, and the container's command is run. */

import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";
import { writeFiles } from "../harness/folder.ts";
import { HttpClient, peerAt } from "../harness/http_client.ts";
import { Daemon, DENO_RUNTIME, freePort, PACKAGES, REPOSITORY, workFolder } from "./programs.ts";

// deno-lint-ignore no-explicit-any -- what is wrong with it is what the tests say
type Manifest = any;

const parsed = parseAllDocuments(readFileSync(`${REPOSITORY}test/deploy/kubernetes.yaml`, "utf8"));
const objects: Manifest[] = parsed.map((document) => document.toJS());
const one = (kind: string): Manifest => objects.find((object) => object.kind === kind);
const deployment = one("Deployment");
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const PROBES = ["startupProbe", "readinessProbe", "livenessProbe"];

/** Everything that is wrong with one object of a manifest: by the schemas of Kubernetes, and by the types made of them. */
async function problemsOf(object: Manifest): Promise<string[]> {
  // "apps/v1" is a folder of that name; so is "networking.k8s.io/v1".
  assert.match(object.apiVersion, /^[a-z0-9.]+(?:\/v\d\w*)?$/);
  const file = join(PACKAGES, "kubernetes-models", object.apiVersion, object.kind);
  const { [object.kind]: Model } = await import(pathToFileURL(`${file}.js`).href);
  const problems = unknownMembers(object, `${file}.d.ts`, object.kind);
  try {
    new Model(object).validate();
  } catch (cause) {
    problems.push((cause as Error).message);
  }
  return problems;
}

/** The members that the type of an object, which is declared in a file, does not have. */
function unknownMembers(value: object, file: string, path: string): string[] {
  const text = readFileSync(file, "utf8");
  const [, body = ""] = /^export interface I\w+ .*?\{\n(.*?)^\}/ms.exec(text) ?? [];
  const types = new Map(
    Array.from(body.matchAll(/^ {4}"([^"]+)"\??: (.*)$/gm), ([, name, type]) => [name, type!]),
  );
  return Object.entries(value).flatMap(([name, member]) => {
    const type = types.get(name);
    if (type === undefined) return [`${path}.${name} is no member that Kubernetes knows`];
    const [reference] = /\bII\w+/.exec(type) ?? [];
    if (reference === undefined) return [];
    const [, source] = new RegExp(`import \\{[^}]*\\b${reference}\\b[^}]*\\} from "([^"]+)"`).exec(text) ??
      [];
    const module = source?.startsWith(".") ? join(dirname(file), source) : join(PACKAGES, source ?? "");
    const declared = source === undefined ? file : `${module.replace(/\.js$/, "")}.d.ts`;
    return [member].flat().filter((inner) => typeof inner === "object")
      .flatMap((inner) => unknownMembers(inner, declared, `${path}.${name}`));
  });
}

describe("the manifest for Kubernetes", () => {
  it("is YAML with one object of each kind, which the schemas of Kubernetes know in every member", async () => {
    assert.deepEqual(parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings]), []);
    const kinds = ["ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"];
    assert.deepEqual(objects.map(({ kind }) => kind).sort(), kinds);
    for (const object of objects) assert.deepEqual(await problemsOf(object), []);
  });

  const CHANGES: Readonly<Record<string, (broken: Manifest) => void>> = {
    "readOnlyRootFilesystm": ({ spec }) =>
      spec.template.spec.containers[0].securityContext.readOnlyRootFilesystm = true,
    "must be integer": ({ spec }) => spec.replicas = "3",
    "required property selector": ({ spec }) => delete spec.selector,
    "matchLabel is no member": ({ spec }) => spec.selector.matchLabel = {},
    "label is no member": ({ metadata }) => metadata.label = {},
    "httpGet is no member": ({ spec }) => spec.template.spec.volumes[0].configMap.items[0].httpGet = {},
  };
  for (const [expected, change] of Object.entries(CHANGES)) {
    it(`would be found wrong: ${expected}`, async () => {
      const broken = structuredClone(deployment);
      change(broken);
      assert.match((await problemsOf(broken)).join("\n"), new RegExp(expected));
    });
  }

  it("runs the server as a user without rights, who can write nothing, call out nowhere and gain nothing", () => {
    const {
      securityContext: { runAsNonRoot, runAsUser, runAsGroup, seccompProfile },
      automountServiceAccountToken,
    } = pod;
    assert.deepEqual([runAsNonRoot, runAsUser, automountServiceAccountToken], [true, 1001, false]);
    const dockerfile = readFileSync(`${REPOSITORY}test/deploy/Dockerfile`, "utf8");
    assert.ok(dockerfile.includes(`USER ${runAsUser}:${runAsGroup}`), "it is the same user as in the image");
    assert.equal(seccompProfile.type, "RuntimeDefault");
    const capabilities = { drop: ["ALL"] };
    const expected = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities };
    assert.deepEqual(container.securityContext, expected);
    for (const mount of container.volumeMounts) assert.equal(mount.readOnly, true);
    for (const name of ["cpu", "memory"]) assert.ok(container.resources.limits[name], name);
    const { egress, policyTypes } = one("NetworkPolicy").spec;
    assert.deepEqual([egress, policyTypes], [[], ["Ingress", "Egress"]]);
    assert.ok(!JSON.stringify(objects).includes('"kind":"Secret"'), "a secret that is published is none");
  });

  it("has the parts fit together: labels, ports, volumes, and more replicas than may be missing", () => {
    const selectors = [
      deployment.spec.selector.matchLabels,
      one("Service").spec.selector,
      one("PodDisruptionBudget").spec.selector.matchLabels,
      one("NetworkPolicy").spec.podSelector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) assert.deepEqual(selector, deployment.spec.template.metadata.labels);
    const ports = container.ports.map(({ name }: Manifest) => name);
    const used = [
      one("Service").spec.ports[0].targetPort,
      one("NetworkPolicy").spec.ingress[0].ports[0].port,
      ...PROBES.map((probe) => container[probe].httpGet.port),
    ];
    for (const port of used) assert.ok(ports.includes(port), port);
    const names = (all: Manifest[]) => all.map(({ name }) => name);
    assert.deepEqual(names(container.volumeMounts), names(pod.volumes));
    const { name, items } = pod.volumes[0].configMap;
    for (const { path } of items) assert.ok(path.startsWith(`${container.volumeMounts[0].subPath}/`));
    // What is mounted by a path in it would lose its files when it changes.
    assert.equal(one("ConfigMap").immutable, true);
    assert.equal(one("ConfigMap").metadata.name, name);
    const keys = items.map(({ key }: Manifest) => key).sort();
    assert.deepEqual(keys, Object.keys(one("ConfigMap").data).sort());
    const { minAvailable } = one("PodDisruptionBudget").spec;
    assert.ok(minAvailable > 0 && deployment.spec.replicas > minAvailable);
  });

  it(
    "has a command that serves, answers its probes, and ends in time",
    { skip: DENO_RUNTIME.skip },
    async () => {
      const folder = workFolder();
      const port = await freePort();
      const { data } = one("ConfigMap");
      const files = pod.volumes[0].configMap.items.map(({ key, path }: Manifest) => [path, data[key]]);
      const version = mountAsKubernetesDoes(`${folder}/volume`, Object.fromEntries(files));
      const token = "0123456789abcdef0123456789abcdef";
      mountAsKubernetesDoes(`${folder}/secrets`, { tokens: `ci ${token}`, keys: btoa("k".repeat(32)) });
      const [, ...args] = container.command.map((word: string) =>
        word
          .replaceAll("/architrave", REPOSITORY.slice(0, -1))
          .replaceAll("/documents", `${version}/${container.volumeMounts[0].subPath}`)
          .replaceAll("/secrets", `${folder}/secrets`)
          .replaceAll(":8080", `:${port}`)
      );
      const daemon = new Daemon(DENO_RUNTIME.command, args, folder);
      const client = new HttpClient(peerAt(port));
      const isOk = async (probe: string) =>
        (await client.served.get(container[probe].httpGet.path)).status === 200;
      await daemon.until(() => isOk("startupProbe"));
      for (const probe of PROBES) assert.ok(await isOk(probe), probe);
      assert.equal(await client.status("resources/list"), 401);
      client.fields = { authorization: `Bearer ${token}` };
      const { status, text } = await client.post(client.request("resources/list"));
      assert.equal(status, 200, text);
      for (const name of ["adr/001-documents-in-the-cluster", "guidelines/errors"]) {
        assert.ok(text.includes(`"architecture://${name}"`), name);
      }
      // A stream that is open, as there is always one.
      const stream = await client.listen();
      assert.equal(stream.status, 200);
      const start = performance.now();
      assert.equal((await daemon.stop()).code, 0);
      const tookSeconds = (performance.now() - start) / 1000;
      const spareSeconds = pod.terminationGracePeriodSeconds - container.lifecycle.preStop.sleep.seconds;
      assert.ok(tookSeconds < spareSeconds, `${tookSeconds} s`);
      assert.match((await stream.whole()).text, /notifications\/cancelled/);
    },
  );
});

/**
 * A volume of a ConfigMap or a Secret: links to a folder that is exchanged as a whole when anything changes.
 *
 * @returns The path of that folder, which is what is mounted where a path in the volume is asked for.
 */
function mountAsKubernetesDoes(mount: string, files: Readonly<Record<string, string>>): string {
  const version = "..2026_07_28_09_30_00.1234567890";
  writeFiles(`${mount}/${version}`, files);
  symlinkSync(version, `${mount}/..data`);
  for (const name of new Set(Object.keys(files).map((path) => path.split("/")[0]!))) {
    symlinkSync(`..data/${name}`, `${mount}/${name}`);
  }
  return `${mount}/${version}`;
}
