import type { Contract } from '../../contract/decisions.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import { Inquiry, type Question } from '../probe/inquiry.ts'
import { READ_QUESTIONS, READS } from '../probe/reads.ts'
import type { Exchange, Session } from '../probe/session.ts'
import { type Check, ok, warning } from './report.ts'

interface QuickLook {
  readonly session: Session
  /** The answer that showed what the server is. */
  readonly first: Exchange
  readonly publicKey: string
  readonly contract: Contract
}

/**
 * For questions that the interface document leaves open: compares this server's answers with the contract. It asks what
 * a probe asks that only reads.
 */
export async function* checkUnspecified({
  session,
  first,
  publicKey,
  contract,
}: QuickLook): AsyncGenerator<Check> {
  const createPath = contract['create.path']
  const inquiry = new Inquiry({
    session,
    requests: READS,
    allowWrites: false,
    run: 'doctor',
    publicKey,
    createPath,
    first,
  })
  for (const question of READ_QUESTIONS) {
    const { key, reading } = await inquiry.ask(question)
    if (inquiry.end !== undefined) throw new Error(inquiry.end)
    if ('value' in reading) yield compared(question, reading.value, contract)
    else if (key === 'create.path')
      yield warning(
        key,
        reading.why,
        'run `paysim probe --create-path /the/path`, or add it to a contract file',
      )
  }
  for (const { what } of inquiry.violations)
    yield warning('document', what, 'this contradicts the interface document: ask the operator of the server')
}

function compared({ key, simulated }: Question, seen: string, contract: Contract): Check {
  if (simulated !== undefined) {
    if (seen === simulated) return ok(key, seen)
    const advice = 'no contract setting covers this: do not rely on either answer'
    return warning(key, `${seen}; with a simulator, ${simulated}`, advice)
  }
  const expected = answerOf(key, contract)
  if (seen === expected) return ok(key, seen)
  return {
    ...warning(
      key,
      `${seen}, but the contract has ${expected}`,
      `add \`${key}: ${seen}\` to a contract file (--contract, or in the profile), or let \`paysim probe\` write one`,
    ),
    override: seen,
  }
}
