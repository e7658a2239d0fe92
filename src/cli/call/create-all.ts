import type { ListBody } from '../../client/control-caller.ts'
import { ControlError } from '../../client/errors.ts'
import { ApiError } from '../../client/index.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { exitCodeOf } from '../errors/exit-code.ts'
import { keysOf, type Line, type ListFile } from '../fields/list-file.ts'
import type { Printer } from '../output/printer.ts'
import { visible } from '../output/text.ts'
import type { ListView } from '../output/view.ts'
import { progressBar } from '../prompts/progress-bar.ts'
import { differences } from './other-answer.ts'
import { DryRunError } from './session.ts'

interface Creations<T> {
  readonly list: ListFile
  /** What keys follow from besides the lines: the name of the list, unless the caller gave another. */
  readonly keyedBy: string | undefined
  readonly printer: Printer
  readonly view: ListView<ListBody<T>>
  readonly strict?: true | undefined
  readonly send: (line: Line, idempotencyKey: string) => PromiseLike<Answer<T>>
}

/** How many records are printed together: enough for columns that fit, and few enough to see that it goes on. */
const TOGETHER = 20

/**
 * Creates what a list says, line by line, with a key for each. What the server refuses is reported, and does not stop the
 * others. Anything else stops it, and the same command goes on where it stopped, because what was made is not made again.
 */
export async function createAll<T extends object>(creations: Creations<T>): Promise<void> {
  const { list, keyedBy, printer, view, strict, send } = creations
  const keys = keysOf(
    keyedBy ?? list.name,
    list.lines.map(({ body }) => body),
  )
  const total = list.lines.length
  const pages = printer.stream(view, { canChoose: false })
  const bar = progressBar(list.name, total => `${total.toLocaleString('en')} lines`)
  const problems: Problem[] = []
  let waiting: T[] = []
  let [created, again] = [0, 0]
  const print = async () => {
    bar.clear()
    if (waiting.length > 0) await pages.page({ data: waiting })
    waiting = []
  }
  for (const [at, line] of list.lines.entries()) {
    bar.update(at, total)
    try {
      const answer = await send(line, keys[at] ?? '')
      created++
      if (answer.headers['idempotent-replayed'] === 'true') again++
      waiting.push(answer.body)
      const found = differences(line.body, answer.body, { strict })
      if (found.length > 0)
        problems.push({
          place: line.place,
          text: `was made, but not as requested, so do not send it again: ${found.map(({ field, message }) => `${field} ${message}`).join('; ')}`,
          exitCode: 1,
        })
    } catch (error) {
      if (!isRefusalOfOne(error)) {
        if (error instanceof DryRunError) throw error
        await print()
        await pages.end()
        report(problems)
        process.stderr.write(`Stopped at ${line.place}: ${created} of ${total} were created. ${GO_ON}\n`)
        throw error
      }
      problems.push({ place: line.place, text: reasonOf(error), exitCode: exitCodeOf(error) })
    }
    if (waiting.length === TOGETHER) await print()
  }
  await print()
  await pages.end()
  report(problems)
  const earlier = again === 0 ? '' : `, ${again} of them by an earlier run`
  process.stderr.write(`${created} of ${total} were created${earlier}.\n`)
  const [first] = problems
  if (!first) return
  process.stderr.write(`Correct the lines above. ${GO_ON}\n`)
  process.exitCode = first.exitCode
}

const GO_ON = 'Run the same command again within 24 hours: what was made is not made again.'

interface Problem {
  readonly place: string
  readonly text: string
  readonly exitCode: number
}

function report(problems: readonly Problem[]): void {
  for (const { place, text } of problems) process.stderr.write(`${visible(`${place}: ${text}`)}\n`)
}

type Refusal = ApiError | ControlError

/** Whether the server refuses this one, and may accept another. */
const isRefusalOfOne = (error: unknown): error is Refusal =>
  (error instanceof ApiError || error instanceof ControlError) && [400, 409, 422].includes(error.status)

function reasonOf(error: Refusal): string {
  const fields = error.details.map(({ field, message }) => `${field} ${message}`)
  const message = error instanceof ControlError ? error.reason : error.message
  return `${fields.length > 0 ? fields.join('; ') : message} (${error.code})`
}
