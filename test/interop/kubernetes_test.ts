/** Would a cluster run the manifest that is shipped? None is at hand: so its schemas are asked, and the container's command is run. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { Daemon, freePort, workFolder } from "./daemon.ts";
import { problemsOf } from "./kubernetes.ts";
import { modernRequest, post } from "./post.ts";
import { REPOSITORY, RUNTIMES } from "./runtimes.ts";

// deno-lint-ignore no-explicit-any -- what is wrong with it is what the tests say
type Manifest = any;

const parsed = parseAllDocuments(
  readFileSync(`${REPOSITORY}test/deploy/kubernetes.yaml`, "utf8"),
);
const objects: Manifest[] = parsed.map((document) => document.toJS());
const one = (kind: string): Manifest => objects.find((object) => object.kind === kind);
const deployment = one("Deployment");
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

describe("the manifest for Kubernetes", () => {
  it("is YAML with one object of each kind, which the schemas of Kubernetes know in every member", async () => {
    assert.deepEqual(
      parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
      [],
    );
    assert.deepEqual(objects.map(({ kind }) => kind).toSorted(), [
      "ConfigMap",
      "Deployment",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
    ]);
    for (const object of objects) {
      assert.deepEqual(await problemsOf(object), []);
    }
  });

  it("would be found wrong in a member that is misspelled, missing or of another type", async () => {
    const changes: Readonly<Record<string, (broken: Manifest) => void>> = {
      "readOnlyRootFilesystm": ({ spec }) =>
        spec.template.spec.containers[0].securityContext.readOnlyRootFilesystm = true,
      "must be integer": ({ spec }) => spec.replicas = "3",
      "required property selector": ({ spec }) => delete spec.selector,
      "matchLabel is no member": ({ spec }) => spec.selector.matchLabel = {},
      "label is no member": ({ metadata }) => metadata.label = {},
      "httpGet is no member": ({ spec }) => spec.template.spec.volumes[0].configMap.items[0].httpGet = {},
    };
    for (const [expected, change] of Object.entries(changes)) {
      const broken = structuredClone(deployment);
      change(broken);
      const problems = await problemsOf(broken);
      assert.equal(
        problems.some((problem) => problem.includes(expected)),
        true,
        `${expected}: ${problems}`,
      );
    }
  });

  it("runs the server as nobody in particular, who can write nothing, call nobody and gain nothing", () => {
    assert.deepEqual(
      [
        pod.securityContext.runAsNonRoot,
        pod.securityContext.runAsUser,
        pod.automountServiceAccountToken,
      ],
      [true, 1001, false],
    );
    assert.equal(pod.securityContext.seccompProfile.type, "RuntimeDefault");
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    for (const mount of container.volumeMounts) {
      assert.equal(mount.readOnly, true);
    }
    for (const name of ["cpu", "memory"]) {
      assert.ok(container.resources.limits[name], name);
    }
    assert.deepEqual(one("NetworkPolicy").spec.egress, []);
    assert.deepEqual(one("NetworkPolicy").spec.policyTypes, [
      "Ingress",
      "Egress",
    ]);
    assert.equal(
      JSON.stringify(objects).includes('"kind":"Secret"'),
      false,
      "a secret that everybody knows is none",
    );
  });

  it("has the parts fit together: labels, ports, volumes, and more replicas than may be missing", () => {
    const { labels } = deployment.spec.template.metadata;
    for (
      const selector of [
        deployment.spec.selector.matchLabels,
        one("Service").spec.selector,
        one("PodDisruptionBudget").spec.selector.matchLabels,
        one("NetworkPolicy").spec.podSelector.matchLabels,
        pod.topologySpreadConstraints[0].labelSelector.matchLabels,
      ]
    ) assert.deepEqual(selector, labels);
    const ports = container.ports.map(({ name }: Manifest) => name);
    const used = [
      one("Service").spec.ports[0].targetPort,
      one("NetworkPolicy").spec.ingress[0].ports[0].port,
    ];
    for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
      used.push(container[probe].httpGet.port);
    }
    for (const port of used) assert.ok(ports.includes(port), port);
    const volumes = pod.volumes.map(({ name }: Manifest) => name);
    assert.deepEqual(
      container.volumeMounts.map(({ name }: Manifest) => name),
      volumes,
    );
    for (const { path } of pod.volumes[0].configMap.items) {
      assert.ok(path.startsWith(`${container.volumeMounts[0].subPath}/`));
    }
    // What is mounted by a path in it would lose its files when it changes.
    assert.equal(one("ConfigMap").immutable, true);
    const { name, items } = pod.volumes[0].configMap;
    assert.equal(one("ConfigMap").metadata.name, name);
    assert.deepEqual(
      items.map(({ key }: Manifest) => key).toSorted(),
      Object.keys(one("ConfigMap").data).toSorted(),
    );
    assert.ok(
      deployment.spec.replicas > one("PodDisruptionBudget").spec.minAvailable,
    );
    assert.ok(one("PodDisruptionBudget").spec.minAvailable > 0);
  });

  it("is the same user as in the image", () => {
    const dockerfile = readFileSync(
      `${REPOSITORY}test/deploy/Dockerfile`,
      "utf8",
    );
    assert.ok(
      dockerfile.includes(
        `USER ${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`,
      ),
    );
  });

  const deno = RUNTIMES.find((runtime) => runtime.name === "deno")!;
  it("has a command that serves, answers its probes, and ends in time", {
    skip: deno.skip,
  }, async () => {
    const folder = workFolder();
    const port = await freePort();
    const files = Object.fromEntries(
      pod.volumes[0].configMap.items.map((
        { key, path }: Manifest,
      ) => [path, one("ConfigMap").data[key]]),
    );
    const version = mountAsKubernetesDoes(`${folder}/volume`, files);
    const token = "0123456789abcdef0123456789abcdef";
    mountAsKubernetesDoes(`${folder}/secrets`, {
      tokens: `ci ${token}`,
      keys: btoa("k".repeat(32)),
    });
    const [, ...args] = container.command.map((word: string) =>
      word
        .replaceAll("/architrave", REPOSITORY.slice(0, -1))
        .replaceAll(
          "/documents",
          `${version}/${container.volumeMounts[0].subPath}`,
        )
        .replaceAll("/secrets", `${folder}/secrets`)
        .replaceAll(":8080", `:${port}`)
    );
    const daemon = new Daemon(deno.launch().command, args, folder);
    const base = `http://127.0.0.1:${port}`;
    await daemon.until(async () => (await fetch(`${base}${container.startupProbe.httpGet.path}`)).ok);
    for (const probe of ["readinessProbe", "livenessProbe"]) {
      assert.equal(
        (await fetch(`${base}${container[probe].httpGet.path}`)).status,
        200,
        probe,
      );
    }
    const [fields, request] = modernRequest("resources/list");
    assert.equal((await post(`${base}/mcp`, fields, request)).status, 401);
    const { status, text } = await post(`${base}/mcp`, {
      ...fields,
      authorization: `Bearer ${token}`,
    }, request);
    assert.equal(status, 200, text);
    assert.match(text, /"architecture:\/\/adr\/001-documents-in-the-cluster"/);
    assert.match(text, /"architecture:\/\/guidelines\/errors"/);
    // A stream that is open, as there is always one.
    const stream = await fetch(`${base}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        ...modernRequest("subscriptions/listen")[0],
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        ...modernRequest("subscriptions/listen", {
          notifications: { resourcesListChanged: true },
        })[1],
      }),
    });
    assert.equal(stream.status, 200);
    const start = performance.now();
    assert.equal(await daemon.stop(), 0);
    const tookSeconds = (performance.now() - start) / 1000;
    const { terminationGracePeriodSeconds } = pod;
    assert.ok(
      tookSeconds <
        terminationGracePeriodSeconds -
          container.lifecycle.preStop.sleep.seconds,
      `${tookSeconds} s`,
    );
    assert.match(await stream.text(), /notifications\/cancelled/);
  });
});

/**
 * A volume of a ConfigMap or a Secret: links to a folder that is exchanged as a whole when anything changes.
 *
 * @returns The path of that folder, which is what is mounted where a path in the volume is asked for.
 */
function mountAsKubernetesDoes(
  mount: string,
  files: Readonly<Record<string, string>>,
): string {
  const version = "..2026_07_28_09_30_00.1234567890";
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(`${mount}/${version}/${path}`), { recursive: true });
    writeFileSync(`${mount}/${version}/${path}`, text);
  }
  symlinkSync(version, `${mount}/..data`);
  for (
    const name of new Set(Object.keys(files).map((path) => path.split("/")[0]!))
  ) {
    symlinkSync(`..data/${name}`, `${mount}/${name}`);
  }
  return `${mount}/${version}`;
}
