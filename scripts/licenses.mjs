import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The terms of every package that went into a bundle, once each, in the order of their names.
 *  `moduleIds` are its modules as the bundler names them; the package at `own` is not listed. */
export function licenses(moduleIds, own) {
  const folders = new Set(moduleIds.filter(existsSync).map(packageFolder));
  folders.delete(own);
  const texts = [...folders].map(licenseOf).filter((text) => text !== null);
  return [...new Set(texts)].sort().join("\n");
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (name.startsWith("@uncaged/")) return bundledLicenses(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  // In the public domain, so that there are no terms to carry.
  if (file === undefined && license === "Unlicense") return `${name} ${version}\n\nUnlicense\n`;
  const terms =
    file === undefined
      ? (inReadme(folder) ?? byName(license))
      : readFileSync(join(folder, file), "utf8");
  if (terms === null) throw new Error(`${name} ${version} has no license file`);
  return `${name} ${version}\n\n${terms.trim()}\n`;
}

/** The section at the end of a README, where it says more than a name. */
function inReadme(folder) {
  const file = readdirSync(folder).find((entry) => /^readme/i.test(entry));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
  const section = /^#+ *licen[cs]e\s*\n([^#]*)$/im.exec(text)?.[1] ?? "";
  return /copyright/i.test(section) ? section : null;
}

/** Some packages of the AWS SDK forgot the file that the others have. */
function byName(license) {
  return license === "Apache-2.0"
    ? "Apache-2.0, the text of which is with others in this list"
    : null;
}

/** A package of this repository that is itself one file brings the terms of what is in it. */
function bundledLicenses(folder) {
  const file = join(folder, "dist", "licenses.txt");
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function packageFolder(file) {
  let folder = dirname(file);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** Some packages put a nameless package.json beside their code, to say which kind of modules it is. */
function isPackage(folder) {
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version !== undefined;
}
