import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Which tags a package of each tag may name in its manifest: the direct edges between floors.
 *
 *  `turbo boundaries` refuses an import that the manifest does not declare, but weighs its tags
 *  over everything reachable, so that its lists in turbo.json have to be the closure of these.
 *  A direct edge that skips a floor is therefore refused here. */
const MAY_IMPORT = {
  protocol: [],
  util: ["protocol"],
  moderator: ["protocol"],
  reactor: ["protocol"],
  cas: ["protocol", "util"],
  store: ["protocol", "util"],
  "blobs-s3": ["protocol", "util"],
  runtime: ["protocol", "moderator"],
  register: ["protocol", "util", "cas"],
  "store-postgres": ["protocol", "util", "store", "register"],
  "util-agent": ["protocol", "util"],
  workspace: ["protocol", "util"],
  execute: [
    "protocol",
    "util",
    "cas",
    "store",
    "blobs-s3",
    "register",
    "store-postgres",
    "moderator",
    "reactor",
    "workspace",
  ],
  host: ["protocol", "util", "moderator", "store", "register", "execute", "workspace", "tasks"],
  agent: ["protocol", "util-agent", "reactor"],
  lab: ["protocol", "util", "cas", "store", "util-agent", "agent"],
  testkit: ["protocol", "runtime", "moderator"],
  template: ["runtime"],
  tasks: ["protocol", "util", "store", "workspace"],
  gateway: ["protocol", "util"],
  editor: ["protocol"],
  dashboard: ["protocol", "gateway", "editor"],
  cli: [
    "protocol",
    "util",
    "moderator",
    "reactor",
    "cas",
    "store",
    "blobs-s3",
    "runtime",
    "register",
    "store-postgres",
    "util-agent",
    "execute",
    "host",
    "agent",
    "testkit",
    "template",
    "tasks",
    "workspace",
    "gateway",
    "editor",
  ],
};

/** Edges that only tests may use: `devDependencies`, never `dependencies`. */
const TESTS_MAY_IMPORT = { template: ["testkit"], "blobs-s3": ["cas"], "store-postgres": ["cas"] };

/** Every way in which manifests, tags and turbo.json part from the table; empty when none. */
export function floorProblems(root) {
  const packages = readPackages(root);
  const tagOf = new Map(packages.map((each) => [each.manifest.name, each.tag]));
  return [...packages.flatMap((each) => manifestProblems(each, tagOf)), ...turboProblems(root)];
}

/** The tags reachable from `tag`, itself not included unless a cycle leads back. */
function closure(tag) {
  const reached = new Set();
  const queue = [...allowed(tag, true)];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    queue.push(...allowed(next, false));
  }
  return [...reached].sort();
}

function readPackages(root) {
  return ["packages", "templates"].flatMap((group) =>
    readdirSync(join(root, group)).map((folder) => {
      const path = `${group}/${folder}`;
      const tags = readJson(join(root, path, "turbo.json")).tags ?? [];
      return { path, tag: tags[0], tags, manifest: readJson(join(root, path, "package.json")) };
    }),
  );
}

function manifestProblems({ path, tag, tags, manifest }, tagOf) {
  if (tags.length !== 1 || !Object.hasOwn(MAY_IMPORT, tag)) {
    return [`${path}/turbo.json: wants exactly one tag of the table, has [${tags.join(", ")}]`];
  }
  const edges = (section, forTests) =>
    Object.keys(manifest[section] ?? {})
      .filter((name) => tagOf.has(name) && !allowed(tag, forTests).includes(tagOf.get(name)))
      .map(
        (name) =>
          `${path}/package.json: ${section} may not name ${name} (${tag} -> ${tagOf.get(name)})`,
      );
  return [
    ...edges("dependencies", false),
    ...edges("peerDependencies", false),
    ...edges("devDependencies", true),
  ];
}

function turboProblems(root) {
  const written = readJson(join(root, "turbo.json")).boundaries.tags;
  const names = new Set([...Object.keys(MAY_IMPORT), ...Object.keys(written)]);
  return [...names].flatMap((tag) => {
    const want = Object.hasOwn(MAY_IMPORT, tag) ? closure(tag).join(", ") : undefined;
    const have = written[tag]?.dependencies.allow.toSorted().join(", ");
    return want === have
      ? []
      : [`turbo.json: boundaries of "${tag}" should allow [${want}], has [${have}]`];
  });
}

const allowed = (tag, forTests) => [
  ...MAY_IMPORT[tag],
  ...(forTests ? (TESTS_MAY_IMPORT[tag] ?? []) : []),
];

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
