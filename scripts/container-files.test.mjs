/** The container files of examples/cluster are parsed, and agree with each other and with what the example runs. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const folder = new URL("../examples/cluster/container/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");

/** Its instructions, `[name, rest]`, with lines joined and comments gone. */
const dockerfile = read("Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n/g, " ")
  .trim()
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]);
const last = (name) => dockerfile.findLast(([each]) => each === name)?.[1];
const compose = parse(read("compose.yaml"), { merge: true });
const objects = parseAllDocuments(read("kubernetes.yaml")).map((each) => {
  expect(each.errors).toEqual([]);
  return each.toJS();
});
const of = (kind) => objects.filter((each) => each.kind === kind);
const COMMANDS = ["worker", "gateway"];

test("the image has two stages, runs without root, and starts and asks with scripts that it has", () => {
  const known = /^(?:FROM|ARG|RUN|COPY|ENV|USER|WORKDIR|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/;
  for (const [name] of dockerfile) expect(name).toMatch(known);
  expect(dockerfile.filter(([name]) => name === "FROM")).toHaveLength(2);
  expect(last("USER")).toBe("node");
  const copied = dockerfile.find(([, rest]) => rest.includes("entrypoint.sh"))?.[1];
  const entrypoint = JSON.parse(last("ENTRYPOINT"));
  const [, health = ""] = last("HEALTHCHECK").split("CMD ");
  for (const script of [entrypoint.at(-1), ...JSON.parse(health)]) {
    expect(copied).toContain(script);
    expect(statSync(new URL(script, folder)).mode & 0o111).not.toBe(0);
    expect(read(script)).toMatch(/^#!\/bin\/sh\n.*\nset -eu\n/);
  }
  expect(COMMANDS).toContain(JSON.parse(last("CMD"))[0]);
});

test("compose: what services wait for exists and has a health check, and each command is one of ours", () => {
  const { services, volumes } = compose;
  expect(Object.keys(services).sort()).toEqual(["gateway", "postgres", "s3", "worker"]);
  for (const service of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(condition).toBe("service_healthy");
      expect(services[name].healthcheck.test[0]).toBe("CMD");
    }
    for (const volume of service.volumes) {
      const [name] = volume.split(":");
      expect(name.startsWith("/") || Object.hasOwn(volumes, name)).toBe(true);
    }
  }
  expect(services.worker.deploy.replicas).toBe(3);
  for (const { command, build, environment } of [services.worker, services.gateway]) {
    expect(COMMANDS).toContain(command[0]);
    expect(existsSync(new URL(`${build}/Dockerfile`, folder))).toBe(true);
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(needed()));
  }
  expect(services.worker.stop_grace_period).toBe("60s");
});

test("kubernetes: workers have the probes of the image, keep their folder, and get time to end", () => {
  const [worker] = of("StatefulSet");
  const { spec } = worker.spec.template;
  const [container] = spec.containers;
  expect(COMMANDS).toContain(container.args[0]);
  for (const probe of [container.startupProbe, container.readinessProbe])
    expect(last("HEALTHCHECK")).toContain(JSON.stringify(probe.exec.command));
  expect(spec.terminationGracePeriodSeconds).toBe(60);
  expect(spec.securityContext.runAsNonRoot).toBe(true);
  const [claim] = worker.spec.volumeClaimTemplates;
  expect(container.volumeMounts).toEqual([
    { name: claim.metadata.name, mountPath: last("VOLUME") },
  ]);
  const [secret] = of("Secret");
  expect(container.envFrom).toEqual([{ secretRef: { name: secret.metadata.name } }]);
  expect(Object.keys(secret.stringData)).toEqual(expect.arrayContaining(needed()));
  const labels = worker.spec.template.metadata.labels;
  const selectors = [
    worker.spec.selector.matchLabels,
    of("PodDisruptionBudget")[0].spec.selector.matchLabels,
  ];
  for (const selector of [...selectors, of("Service")[0].spec.selector])
    expect(selector).toEqual(labels);
  expect(of("Service")[0].metadata.name).toBe(worker.spec.serviceName);
});

/** Variables without which the image does not join. */
function needed() {
  const script = read("entrypoint.sh");
  return [...script.matchAll(/"\$(UNCAGED_\w+)"/g)]
    .map(([, name]) => name)
    .filter((name) => name !== "UNCAGED_WORKFLOW_STORAGE_ROOT");
}
