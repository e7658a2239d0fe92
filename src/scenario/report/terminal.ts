import { formatDuration } from '../../contract/durations.ts'
import { describeProblem } from '../load/problems.ts'
import type { ScenarioResult } from '../run/run-scenario.ts'
import type { StepRecord } from '../run/step-result.ts'
import { failureLines, headOf, type Paint, runTitle } from './failure.ts'

const TIME_WIDTH = 10

/** One scenario for a terminal: a line for each step with its time, and the details of a failed step. */
export function story(result: ScenarioResult, paint: Paint, { brief }: { brief: boolean }): string {
  const { ok, file, tookMs, problems } = result
  const name = runTitle(result)
  const mark = ok ? paint.good('✓') : paint.bad('✗')
  if (problems)
    return `${mark} ${paint.bold(name)}  ${headOf(problems)}\n${problems.map(one => `  ${describeProblem(one)}\n`).join('')}`
  const head = `${mark} ${paint.bold(name)}  ${paint.dim(`${file}  ${Math.round(tookMs)} ms${passed(result)}`)}`
  if (ok && brief) return `${head}\n`
  return `${[head, ...result.steps.flatMap(step => stepLines(step, result, paint))].join('\n')}\n`
}

const passed = ({ virtual, passedMs }: ScenarioResult) =>
  virtual && passedMs > 0 ? `, ${formatDuration(passedMs)} of account time` : ''

function stepLines(step: StepRecord, { file, virtual }: ScenarioResult, paint: Paint): string[] {
  const { title, depth, sinceStartMs, tookMs, failure } = step
  const time = virtual ? `+${formatDuration(sinceStartMs)}` : `${Math.round(tookMs)}ms`
  const mark = failure ? paint.bad('✗') : paint.good('✓')
  const line = `  ${paint.dim(time.padStart(TIME_WIDTH))} ${'  '.repeat(depth)}${mark} ${title.replace(/\s+/g, ' ')}`
  if (!failure) return [line]
  return [
    line,
    ...failureLines(file, failure, paint)
      .flatMap(one => one.split('\n'))
      .map(one => `${' '.repeat(TIME_WIDTH + 7)}${one}`),
  ]
}

export function summary(results: readonly ScenarioResult[], tookMs: number, paint: Paint): string {
  const wrong = results.filter(({ problems }) => problems).length
  const failed = results.filter(({ ok }) => !ok).length - wrong
  const all = `${results.length} scenario${results.length === 1 ? '' : 's'}`
  const verdict =
    failed + wrong === 0
      ? paint.good(`${all} passed`)
      : paint.bad(
          [failed > 0 ? `${failed} failed` : '', wrong > 0 ? `${wrong} cannot be run` : '']
            .filter(part => part !== '')
            .join(', ')
            .replace(/^\d+/, first => `${first} of ${all}`),
        )
  return `\n${verdict} ${paint.dim(`in ${(tookMs / 1000).toFixed(2)} s`)}\n`
}
