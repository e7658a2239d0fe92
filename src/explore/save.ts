import { mkdir, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { Document } from 'yaml'
import type { Scenario, ScenarioData } from '../scenario/index.ts'
import { disturbedStory } from './disturbed-story.ts'
import type { Exploration, Finding } from './explore.ts'
import { describePlace, KIND_RULES } from './kinds.ts'
import { narrativeOf } from './narrative.ts'

/** Writes each finding as a scenario that `paysim run` repeats; the paths, in the order of the findings. */
export async function saveFindings(exploration: Exploration, folder: string): Promise<string[]> {
  const names = fileNames(exploration)
  if (names.length > 0) await mkdir(folder, { recursive: true })
  const paths: string[] = []
  for (const [at, finding] of exploration.findings.entries()) {
    const path = join(folder, names[at] ?? '')
    await writeFile(path, savedText(exploration, finding, folder))
    paths.push(path)
  }
  return paths
}

/** By what was disturbed; a number where one name stands for several. */
function fileNames({ scenario, findings }: Exploration): string[] {
  const stem = basename(scenario.file).replace(/(\.scenario)?\.(ya?ml|json)$/, '')
  const taken = new Map<string, number>()
  return findings.map(({ kinds }) => {
    const name = `${stem}-${kinds.join('-and-')}`
    const nth = (taken.get(name) ?? 0) + 1
    taken.set(name, nth)
    return `${name}${nth === 1 ? '' : `-${nth}`}.yaml`
  })
}

function savedText({ scenario, story, seed }: Exploration, finding: Finding, folder: string): string {
  if (!story) return ''
  const { name, ...data } = moved(disturbedStory(scenario.data, finding.places, story), scenario, folder)
  const title = `${name}: ${finding.kinds.join(' and ')}`
  const document = new Document({ ...data, paysim: 1, name: title }, { aliasDuplicateObjects: false })
  document.contents = document.createNode({ paysim: 1, name: title, ...without(data, 'paysim') })
  document.commentBefore = comment(finding, basename(scenario.file), seed)
  return document.toString({ lineWidth: 110 })
}

function comment({ places, fault, failed, of, attempt, kinds }: Finding, file: string, seed: number): string {
  const seen = attempt.result.application
  const lines = [
    `Found by \`paysim explore ${file} --seed ${seed}\`: ${fault.message}`,
    '',
    'What went wrong on purpose:',
    ...places.map(place => `  ${describePlace(place)}: ${KIND_RULES[place.kind].summary}`),
    'What the application did:',
    ...(seen ? narrativeOf(seen).map(line => `  ${line}`) : []),
    `It failed ${failed} of ${of} times when it was tried again${failed < of ? ': it depends on chance' : ''}.`,
    `How to survive it: docs/surviving.md${kinds.map(kind => ` #${kind}`).join('')}`,
  ]
  return lines.map(line => (line === '' ? '' : ` ${line}`)).join('\n')
}

const without = (data: object, key: string) =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name !== key))

/** Files, and the folder in which the application starts, as seen from where the scenario will lie. */
function moved(data: ScenarioData, { folder: from }: Scenario, to: string): ScenarioData {
  const path = (file: string) => (isAbsolute(file) ? file : relative(resolve(to), resolve(from, file)))
  const app =
    data.app?.start === undefined ? data.app : { ...data.app, folder: path(data.app.folder ?? '.') || '.' }
  return { ...data, ...(app ? { app } : {}), ...(data.steps ? { steps: withFiles(data.steps, path) } : {}) }
}

function withFiles<T>(value: T, path: (file: string) => string): T {
  if (Array.isArray(value)) return value.map(item => withFiles(item, path)) as T
  if (typeof value !== 'object' || value === null) return value
  const verbs = ['submit receipt', 'payer sends receipt', 'upload asset']
  const hasFile = verbs.some(verb => verb in value)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      hasFile && key === 'file' && typeof inner === 'string'
        ? path(inner)
        : key === 'steps' || key === 'parallel'
          ? withFiles(inner, path)
          : inner,
    ]),
  ) as T
}
