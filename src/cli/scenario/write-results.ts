import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { json, junit, runNames, type Scenario, type ScenarioResult, tap } from '../../scenario/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { writerTo } from '../output/printer.ts'
import type { RunFlags } from './run-flags.ts'

const WRITERS = { junit, tap, json } as const

export async function writeReports(results: readonly ScenarioResult[], { report }: RunFlags): Promise<void> {
  for (const { format, file } of report) {
    const text = WRITERS[format](results)
    if (file === '-') await writerTo(process.stdout)(text)
    else await writeWhole(file, text)
  }
}

/** The paths of the transcripts: for each scenario, one for each run. A single run may go to a file, several go to a folder. */
export async function transcriptPaths(
  scenarios: readonly Scenario[],
  { transcript, repeat = 1 }: RunFlags,
): Promise<string[][]> {
  if (transcript === undefined) return []
  const count = scenarios.length * repeat
  const folder = transcript.endsWith('/') || (await isFolder(transcript)) || count > 1
  if (folder && (await isFile(transcript)))
    throw new UsageError(`--transcript ${transcript} is a file, but there are ${count} runs: give a folder`)
  if (!folder) return [[transcript]]
  const suffixes = Array.from({ length: repeat }, (_, at) => (repeat > 1 ? `.${at + 1}` : ''))
  return runNames(scenarios).map(name =>
    suffixes.map(repetition => join(transcript, `${name.replace(/^run-/, '')}${repetition}.jsonl`)),
  )
}

export async function writeTranscripts(
  scenarios: readonly Scenario[],
  results: readonly ScenarioResult[][],
  flags: RunFlags,
): Promise<void> {
  const paths = await transcriptPaths(scenarios, flags)
  for (const [at, runs] of paths.entries())
    for (const [repetition, path] of runs.entries())
      await writeWhole(path, results[at]?.[repetition]?.transcript ?? '')
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false
const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() ?? false

async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
