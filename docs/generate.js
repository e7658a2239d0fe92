// `npm run docs` writes the parts of the documentation that are made from the program. With --check it changes nothing,
// names the files that are out of date, and exits with status 1. If files are named, only these are written or checked.
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientExamples } from './generate/client-examples.js'
import { commandPages } from './generate/command-pages.js'
import { decisionsPage } from './generate/decisions-page.js'
import { lifecycleTables } from './generate/lifecycle-tables.js'
import { whatIsMissing, withAnswers } from './generate/run-examples.js'
import { sameButForNames } from './generate/same-but-for-names.js'
import { scenarioSchema } from './generate/scenario-schema.js'

const exactly = (old, fresh) => old === fresh

/** For each document: how it is made from its present text, and whether that text is still good enough. */
const DOCUMENTS = {
  'docs/decisions.md': { make: decisionsPage, isFresh: exactly },
  'docs/architecture.md': { make: lifecycleTables, isFresh: exactly },
  'docs/cli.md': { make: commandPages, isFresh: exactly },
  'docs/testing.md': { make: clientExamples, isFresh: exactly },
  'docs/api.md': { make: withAnswers, isFresh: sameButForNames, needsShell: true },
  'scenarios/schema.json': { make: scenarioSchema, isFresh: exactly },
  'docs/control.md': { make: withAnswers, isFresh: sameButForNames, needsShell: true },
}

const root = fileURLToPath(new URL('..', import.meta.url))
const options = process.argv.slice(2)
const check = options.includes('--check')
const wanted = options.filter(option => !option.startsWith('--'))

for (const [name, { make, isFresh, needsShell }] of Object.entries(DOCUMENTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const missing = needsShell ? whatIsMissing() : undefined
  if (missing) {
    console.log(`${name} skipped: its examples need ${missing}`)
    continue
  }
  const path = `${root}${name}`
  const old = readText(path)
  const fresh = await make(old)
  if (isFresh(old, fresh)) continue
  if (!check) {
    writeFileSync(path, fresh)
    console.log(`${relative(process.cwd(), path)} written`)
    continue
  }
  console.error(
    `${name} is stale: run \`npm run docs\` and look at what changed.\n${firstDifference(old, fresh)}`,
  )
  process.exitCode = 1
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function firstDifference(old, fresh) {
  const [before, after] = [old.split('\n'), fresh.split('\n')]
  const at = after.findIndex((line, index) => !sameButForNames(line, before[index] ?? ''))
  if (at === -1) return `  it is ${before.length} lines long and should be ${after.length}`
  return `  line ${at + 1} is:        ${before[at] ?? '(nothing)'}\n  line ${at + 1} should be: ${after[at]}`
}
