import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { Document } from 'yaml'
import { commandLine } from '../application/process-family.ts'
import { folderOf, readBelow, type Scenario, type ScenarioData } from '../scenario/index.ts'
import { type Finding, headlineOf } from './confirm.ts'
import type { Exploration } from './explore.ts'
import { describePlace, disturbedStory, KIND_RULES } from './kinds.ts'
import { narrativeOf } from './narrative.ts'
import { printedIn, repeatingCommand, savedSuite } from './suite.ts'

/** A finding as a file that a command can repeat. */
export interface SavedFinding {
  readonly path: string
  readonly text: string
  /** The command that repeats it. */
  readonly repeat: string
}

/** Writes each finding to a file, in the order of the findings. */
export async function saveFindings(exploration: Exploration, folder: string): Promise<SavedFinding[]> {
  const names = fileNames(exploration)
  if (names.length > 0) await mkdir(folder, { recursive: true })
  const saved: SavedFinding[] = []
  for (const [at, finding] of exploration.findings.entries()) {
    const path = join(folder, names[at] ?? '')
    const { command } = exploration
    const text = command
      ? written(savedSuite(command, finding), suiteComment(command, exploration, finding))
      : await savedText(exploration, finding, folder)
    await writeFile(path, text)
    const often = finding.kinds.length > 0 ? '' : ` --repeat ${oftenEnough(finding)}`
    const repeat = command
      ? repeatingCommand(path, command)
      : `paysim run ${path}${portFlag(exploration)}${often}`
    saved.push({ path, text, repeat })
  }
  return saved
}

/** So many runs most likely show once more what fails only now and then. */
const oftenEnough = ({ failed, of }: Finding) => Math.ceil((3 * of) / failed)

/** An application that runs already keeps the address by which it calls the gateway. */
const portFlag = ({ gatewayPort }: Exploration) =>
  gatewayPort === undefined ? '' : ` --gateway-port ${gatewayPort}`

/** Names each file after what was disturbed, with a number if a name is taken. */
function fileNames({ scenario, findings, command }: Exploration): string[] {
  const stem = command ? 'suite' : basename(scenario.file).replace(/(\.scenario)?\.(ya?ml|json)$/, '')
  const taken = new Map<string, number>()
  return findings.map(({ kinds }) => {
    const name = `${stem}-${kinds.join('-and-') || 'undisturbed'}`
    const nth = (taken.get(name) ?? 0) + 1
    taken.set(name, nth)
    return `${name}${nth === 1 ? '' : `-${nth}`}.yaml`
  })
}

async function savedText(exploration: Exploration, finding: Finding, folder: string): Promise<string> {
  const { scenario, story, seed } = exploration
  if (!story) return ''
  const disturbed = disturbedStory(scenario.data, finding.places, story)
  const { name, ...data } = await moved(disturbed, scenario, folder)
  const title = `${name}: ${finding.kinds.join(' and ') || 'undisturbed'}`
  const found = `paysim explore ${basename(scenario.file)} --seed ${seed}${portFlag(exploration)}`
  return written({ paysim: 1, name: title, ...without(data, 'paysim') }, comment(finding, found))
}

function written(data: object, comment: string): string {
  const document = new Document(data, { aliasDuplicateObjects: false })
  document.commentBefore = comment
  return document.toString({ lineWidth: 110 })
}

const suiteComment = (command: readonly string[], { seed }: Exploration, finding: Finding) =>
  comment(
    finding,
    `paysim explore --suite --seed ${seed} -- ${commandLine(command)}`,
    printedIn(finding.attempt).map(line => `  ${line}`),
  )

function comment(finding: Finding, found: string, printed: readonly string[] = []): string {
  const { places, failed, of, attempt, kinds } = finding
  const isDisturbed = kinds.length > 0
  const rate = `It failed in ${failed} of ${of} repeated runs${failed < of ? ', so it depends on timing' : ''}.`
  const lines = [
    `Found by \`${found}\`: ${headlineOf(finding)}`,
    '',
    ...(isDisturbed ? ['What was disturbed:'] : []),
    ...places.map(place => `  ${describePlace(place)}: ${KIND_RULES[place.kind].summary}`),
    'What happened:',
    ...narrativeOf(attempt).map(line => `  ${line}`),
    ...(printed.length > 0 ? ['What the command printed:', ...printed] : []),
    ...(isDisturbed ? [of === 0 ? 'It was not repeated.' : rate] : []),
    ...(isDisturbed
      ? [`How to survive it: docs/surviving.md${kinds.map(kind => ` #${kind}`).join('')}`]
      : []),
  ]
  return lines.map(line => (line === '' ? '' : ` ${line}`)).join('\n')
}

const without = (data: object, key: string) =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name !== key))

/**
 * Makes the application's folder relative to the folder where the scenario is saved, and puts the files of its steps
 * there: a scenario can only name files below its own folder.
 */
async function moved(data: ScenarioData, scenario: Scenario, to: string): Promise<ScenarioData> {
  const from = folderOf(scenario)
  const { app, steps } = data
  const start = relative(resolve(to), resolve(from, app?.folder ?? '.')) || '.'
  const copies = new Map<string, string>()
  for (const file of filesIn(steps ?? [])) copies.set(file, await copyBelow(from, file, to))
  return {
    ...data,
    ...(app?.start === undefined && app?.restart === undefined ? {} : { app: { ...app, folder: start } }),
    ...(steps ? { steps: withFiles(steps, copies) } : {}),
  }
}

/** Copies a file under a name that its bytes give it, so that it replaces no other file. */
async function copyBelow(from: string, file: string, to: string): Promise<string> {
  const bytes = await readBelow(from, file)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const copy = join('files', `${digest.slice(0, 12)}-${basename(file)}`)
  await mkdir(join(to, 'files'), { recursive: true })
  await writeFile(join(to, copy), bytes)
  return copy
}

const WITH_FILES = ['submit receipt', 'payer sends receipt', 'upload asset']
const namesFile = (step: object): step is { readonly file: string } =>
  'file' in step && typeof step.file === 'string' && WITH_FILES.some(verb => verb in step)

/** The files that steps name, except those whose names are only known in a run. */
function filesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(filesIn)
  if (typeof value !== 'object' || value === null) return []
  const own = namesFile(value) && !value.file.includes('${') ? [value.file] : []
  const { steps, parallel } = value as { steps?: unknown; parallel?: unknown }
  return [...own, ...filesIn(steps), ...filesIn(parallel)]
}

function withFiles<T>(value: T, copies: ReadonlyMap<string, string>): T {
  if (Array.isArray(value)) return value.map(item => withFiles(item, copies)) as T
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.entries(value)
    .filter(([key]) => key === 'steps' || key === 'parallel')
    .map(([key, inner]) => [key, withFiles(inner, copies)])
  const file = namesFile(value) ? { file: copies.get(value.file) ?? value.file } : {}
  return { ...value, ...Object.fromEntries(inside), ...file }
}
