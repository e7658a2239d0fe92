import { readFileSync } from 'node:fs'

/**
 * The bills of what is in the package and in the executable files, as npm writes them, without the packages that only the
 * work on paysim needs.
 */
export function softwareBills(npm, nodes) {
  const all = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'))
  // Those whose licences are included.
  const notices = readFileSync('dist/third-party-licences.txt', 'utf8')
  const bundled = new Set(
    [...notices.matchAll(/^(\S+ \S+) \(.+\)\n=+$/gm)].map(([, nameAndVersion]) => nameAndVersion),
  )
  const components = all.components.filter(
    ({ name, version, scope }) => scope === 'required' || bundled.has(`${name} ${version}`),
  )
  // npm takes the name of the folder.
  const own = { ...all.metadata.component, name: 'paysim', type: 'application' }
  const billOf = parts => {
    const dependsOn = parts.map(part => part['bom-ref'])
    const others = all.dependencies
      .filter(({ ref }) => dependsOn.includes(ref))
      .map(({ ref, dependsOn: its }) => ({ ref, dependsOn: its.filter(one => dependsOn.includes(one)) }))
    const dependencies = [{ ref: own['bom-ref'], dependsOn }, ...others]
    return { ...all, metadata: { ...all.metadata, component: own }, components: parts, dependencies }
  }
  return {
    'paysim-package': billOf(components),
    'paysim-binary': billOf([...components, ...nodes.map(nodeComponent)]),
  }
}

/** Scanners know vulnerabilities of Node by this cpe. */
const nodeComponent = ({ name, version, integrity }) => ({
  'bom-ref': `${name}@${version}`,
  type: 'platform',
  name,
  version,
  cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:-:*:*:*`,
  purl: `pkg:npm/${name}@${version}`,
  hashes: [
    {
      alg: 'SHA-512',
      content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
    },
  ],
})
