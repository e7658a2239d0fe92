import { relative } from 'node:path'
import { annotations, type Paint, PLAIN, type ScenarioResult, story, summary } from '../../scenario/index.ts'
import type { RunFlags } from './run-flags.ts'

/** Shows the progress of a run, and each scenario when it has ended. */
export interface RunView {
  began(name: string, title: string): void
  ended(result: ScenarioResult): void
  summary(results: readonly ScenarioResult[]): void
  stop(): void
}

/** With a report on stdout, text for people goes to stderr. */
const textStream = ({ report }: RunFlags) =>
  report.some(({ file }) => file === '-') ? process.stderr : process.stdout

/** Whether stderr and the scenarios' results go to the same place, so that problems would appear twice. */
export function isShownTwice(flags: RunFlags): boolean {
  const out = textStream(flags)
  return out === process.stderr || (out.isTTY && process.stderr.isTTY)
}

export async function showRun(count: number, flags: RunFlags): Promise<RunView> {
  const { quiet } = flags
  const startedAt = performance.now()
  const out = textStream(flags)
  const paint = await paintFor(out)
  const spinner = await spinnerFor(out)
  let done = 0
  return {
    began(name, title) {
      if (spinner) spinner.text = `${done}/${count}  ${name}: ${title}`
    },
    ended(result) {
      done += 1
      if (spinner) spinner.text = `${done}/${count}`
      if (quiet && result.ok) return
      spinner?.clear()
      out.write(story(result, paint, { brief: quiet === true }))
    },
    summary: results => void out.write(summary(results, performance.now() - startedAt, paint)),
    stop: () => void spinner?.stop(),
  }
}

/** On GitHub Actions, marks failures in the files. */
export function annotate(results: readonly ScenarioResult[], flags: RunFlags): void {
  const { GITHUB_ACTIONS, GITHUB_WORKSPACE: workspace = '' } = process.env
  if (GITHUB_ACTIONS !== 'true') return
  // GitHub needs paths relative to the repository, wherever the run was started.
  const inside = workspace !== '' && !relative(workspace, process.cwd()).startsWith('..')
  textStream(flags).write(annotations(results, inside ? workspace : process.cwd()))
}

export async function paintFor(out: NodeJS.WriteStream): Promise<Paint> {
  if (!out.isTTY && process.env.FORCE_COLOR === undefined) return PLAIN
  const { chalk, chalkStderr } = await import('chalk').then(it => ({
    chalk: it.default,
    chalkStderr: it.chalkStderr,
  }))
  const { red, green, dim, bold } = out === process.stderr ? chalkStderr : chalk
  return { bad: red, good: green, dim, bold }
}

export async function spinnerFor(out: NodeJS.WriteStream) {
  // With zero columns, the spinner would loop for ever.
  if (!out.isTTY || !out.columns) return undefined
  const { default: ora } = await import('ora')
  return ora({ stream: out, discardStdin: false }).start()
}
