// Exits with status 1 if the package in this folder must not be published. npm shows the members that are checked here,
// and people follow their links.
import { readFileSync } from 'node:fs'

const NEEDED = {
  repository: 'where the source is, such as { "type": "git", "url": "git+https://HOST/OWNER/paysim.git" }',
  bugs: 'where problems are reported, such as { "url": "https://HOST/OWNER/paysim/issues" }',
  homepage: 'where the README can be read, such as "https://HOST/OWNER/paysim#readme"',
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const missing = Object.entries(NEEDED).filter(([member]) => !isAddress(manifest[member]))
if (missing.length > 0) {
  console.error('paysim is not published, because package.json does not say:')
  for (const [member, what] of missing) console.error(`  ${member}: ${what}`)
  console.error(
    'Add them and commit, then pack and test again: a tarball has the package.json that it was packed with.',
  )
  process.exitCode = 1
}

function isAddress(value) {
  const address = typeof value === 'object' ? value?.url : value
  return typeof address === 'string' && URL.canParse(address)
}
