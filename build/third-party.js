// The licences of the bundled packages, which must be included with them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/

/** One text for all packages of these modules. A package without a licence fails the build. */
export function thirdPartyNotices(moduleIds) {
  const folders = new Set([...moduleIds].flatMap(id => PACKAGE.exec(id.split('\0').at(-1))?.[1] ?? []))
  const notices = [...folders].map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (!license) throw new Error(`${name} is bundled, and its package.json names no licence`)
    const texts = licenceFiles(folder).map(path => readFileSync(path, 'utf8').trim())
    return [`${name} ${version} (${license})`, texts.join('\n\n') || `Licence: ${license}`]
  })
  // A package may be in more than one folder.
  const sorted = [...new Map(notices)].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([title, text]) => `${title}\n${'='.repeat(title.length)}\n\n${text}\n`).join('\n\n')
}

/** Some packages have a separate folder of licences. */
const licenceFiles = folder =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => /^(licen[cs]e|copying|notice)/i.test(name))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? licenceFiles(path) : [path]
    })
