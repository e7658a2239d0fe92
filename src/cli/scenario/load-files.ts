import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { loadScenario, type Scenario, ScenarioError } from '../../scenario/index.ts'
import { FilesError, UsageError } from '../errors/cli-errors.ts'
import { didYouMean } from '../flag-values.ts'

/** A file of a run: its scenario, or its problems. */
export type Loaded =
  | { readonly file: string; readonly scenario: Scenario }
  | { readonly file: string; readonly error: ScenarioError }

/** Loads each file at the paths, in order. */
export async function loadEach(paths: readonly string[]): Promise<Loaded[]> {
  const loaded: Loaded[] = []
  for (const file of await findFiles(paths)) {
    try {
      loaded.push({ file, scenario: await loadScenario(file) })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      loaded.push({ file, error })
    }
  }
  return loaded
}

/** Loads all scenarios at the paths, or throws all their problems. */
export async function loadAll(paths: readonly string[]): Promise<Scenario[]> {
  const loaded = await loadEach(paths)
  const wrong = problemsOf(loaded)
  if (wrong) throw wrong
  return scenariosOf(loaded)
}

export const scenariosOf = (loaded: readonly Loaded[]) =>
  loaded.flatMap(each => ('scenario' in each ? [each.scenario] : []))

/** All problems of the files, as one error, if there are any. */
export function problemsOf(loaded: readonly Loaded[]): FilesError | undefined {
  const problems = loaded.flatMap(each => ('error' in each ? each.error.problems : []))
  return problems.length > 0 ? new FilesError(new ScenarioError(problems).message) : undefined
}

const SCENARIO = /\.(ya?ml|json)$/
/** In a folder, a .json file may be anything, so only .scenario.json counts. */
const IN_FOLDER = /\.ya?ml$|\.scenario\.json$/

/** The named files, and all scenarios in the named folders, sorted by name. */
async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) found.push(...(await filesAt(path)))
  return [...new Set(found)]
}

async function filesAt(path: string): Promise<string[]> {
  const facts = await stat(path).catch(() => undefined)
  if (!facts)
    throw new UsageError(`${path} does not exist; \`paysim scenario new\` writes a scenario to begin with`)
  if (!facts.isDirectory()) {
    if (!SCENARIO.test(path)) throw new UsageError(`${path} is not a .yaml, .yml or .json file`)
    return [path]
  }
  const names = await readdir(path, { recursive: true })
  const files = names.filter(name => IN_FOLDER.test(name)).sort()
  if (files.length === 0)
    throw new UsageError(`${path} contains no scenarios: no .yaml, .yml or .scenario.json file`)
  return files.map(name => join(path, name))
}

/** The scenarios that `--only` names. A name without a match is an error, because it is probably a mistake. */
export function pickOnly(loaded: readonly Loaded[], only: readonly string[] = []): readonly Loaded[] {
  if (only.length === 0) return loaded
  for (const word of only) if (!loaded.some(one => isNamed(one, word))) throw noMatch(word, loaded)
  return loaded.filter(one => only.some(word => isNamed(one, word)))
}

const titleOf = (one: Loaded) => ('scenario' in one ? one.scenario.data.name : one.error.scenario)
const stemOf = ({ file }: Loaded) => basename(file).replace(/\.(scenario\.json|ya?ml|json)$/, '')

/** Matches a part of the scenario's name or file name, or the whole of it if the word contains `*` or `?`. */
function isNamed(one: Loaded, word: string): boolean {
  const { file } = one
  const texts = [titleOf(one) ?? '', basename(file), stemOf(one), ...(word.includes('/') ? [file] : [])]
  const fits = /[*?]/.test(word) ? whole(word) : part(word)
  return texts.some(fits)
}

const part = (word: string) => (text: string) => text.toLowerCase().includes(word.toLowerCase())

function whole(word: string): (text: string) => boolean {
  const source = word.replace(/[\\^$.*+?()[\]{}|]/g, found =>
    found === '*' ? '.*' : found === '?' ? '.' : `\\${found}`,
  )
  const pattern = new RegExp(`^${source}$`, 'iu')
  return text => pattern.test(text)
}

const MOST_LISTED = 12

function noMatch(word: string, loaded: readonly Loaded[]): UsageError {
  const stems = [...new Set(loaded.map(stemOf))]
  const names = loaded.flatMap(one => titleOf(one) ?? [])
  const meant = didYouMean(word, [...stems, ...names])
  const more = stems.length > MOST_LISTED ? ` and ${stems.length - MOST_LISTED} more` : ''
  const listed = `The files are ${stems.slice(0, MOST_LISTED).join(', ')}${more}.`
  return new UsageError(`--only ${word}: no scenario has this in its name or file name. ${meant}${listed}`)
}
