import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Enums, Models, Serialize, SPDX, Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { parse } from 'yaml';
import { root } from './run.mjs';
import { dependenciesOf, manifestOf } from './third-party.mjs';

const { Bom, Component, HashDictionary, LicenseExpression, LicenseRepository, Property, SpdxLicense } =
  Models;
/** CycloneDX property which says that the component is in this tarball and is not installed beside it. */
const BUNDLED = 'cdx:npm:package:bundled';

/**
 * @returns the bill of materials (CycloneDX 1.6, JSON) of a package with this manifest: the bundled and the installed
 * packages, given as folders, without peers
 *
 * It has no time and no serial number, so that the same sources give the same bytes.
 */
export async function sbomOf(manifest, { bundled = [], installed = [] } = {}) {
  const { packages } = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));
  const bom = new Bom();
  const whole = componentOf(manifest);
  bom.metadata.component = whole;
  const components = new Map();
  // One version of a package can be in several folders, one for each set of its peers.
  for (const folder of [...bundled, ...installed]) {
    const key = keyOf(folder);
    if (components.has(key)) continue;
    const component = componentOf(manifestOf(folder), packages[key].resolution.integrity);
    components.set(key, component);
    bom.components.add(component);
  }
  for (const key of new Set(bundled.map(keyOf))) {
    components.get(key).properties.add(new Property(BUNDLED, 'true'));
  }
  connect(whole, components, [...bundled, ...installed]);
  return checked(bom);
}

/** @returns the key of the package in the lock file */
function keyOf(folder) {
  const { name, version } = manifestOf(folder);
  return `${name}@${version}`;
}

function componentOf({ name, version, license }, integrity) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return new Component(Enums.ComponentType.Library, name, {
    bomRef: purl,
    version,
    purl,
    licenses: new LicenseRepository([licenseOf(license)]),
    hashes: new HashDictionary(integrity === undefined ? [] : [hashOf(integrity)]),
  });
}

function licenseOf(license) {
  return SPDX.isSupportedSpdxId(license) ? new SpdxLicense(license) : new LicenseExpression(license);
}

function hashOf(integrity) {
  const [, digest] = /^sha512-(.+)$/.exec(integrity);
  return [Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex')];
}

/** Makes the package itself depend on every component that no other component depends on. */
function connect(whole, components, folders) {
  const brought = new Set();
  for (const folder of folders) {
    for (const key of dependenciesOf(folder).map(keyOf)) {
      if (!components.has(key)) continue;
      components.get(keyOf(folder)).dependencies.add(components.get(key).bomRef);
      brought.add(key);
    }
  }
  for (const [key, component] of components) {
    if (!brought.has(key)) whole.dependencies.add(component.bomRef);
  }
}

async function checked(bom) {
  const json = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(json).serialize(bom, { sortLists: true, space: 2 });
  const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (problem !== null)
    throw new Error(`the bill of materials is not valid CycloneDX: ${JSON.stringify(problem)}`);
  return `${text}\n`;
}
