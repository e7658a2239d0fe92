import type { Actor, Command } from '../../../src/domain/commands.ts'
import type { Outcome } from '../../../src/engine/account/account.ts'
import { type AnswersKept, answerText, type KeyedCommand, keepsAnswer } from './answers-kept.ts'
import type { Machine } from './machine.ts'
import { must } from './must.ts'
import { predict, predictEarly } from './predict.ts'
import { same, snapshot } from './world-dump.ts'

/** Executes a command and compares its outcome with the expected one. */
export async function carryOut(
  machine: Machine,
  kept: AnswersKept,
  command: Command,
  by: Actor,
): Promise<Outcome> {
  const { world, account } = machine
  const { now } = account
  const keyed = isKeyed(command) ? command : undefined
  const early = predictEarly(machine, command)
  const remembered = early === null && keyed ? kept.expected(keyed, now) : undefined
  const expected = early ?? predict(machine, command)
  const before = snapshot(world)
  const outcome = machine.execute(command, by)
  const after = snapshot(world)
  if (!('id' in outcome))
    must(same(before.records, after.records), 'a refusal or a replay changes nothing', command)

  if (remembered === 'conflict') {
    must(code(outcome) === 'idempotency_conflict', 'a key used with something else is a conflict', outcome)
    must(same(before.kept, after.kept), 'a conflict keeps nothing', command)
  } else if (remembered) {
    must('replay' in outcome, 'a kept key is replayed inside 24 h', { command, outcome })
    must(
      answerText(machine, outcome, { requestId: '' }) === remembered.text,
      'a replay is byte-equal',
      remembered,
    )
    must(same(before.kept, after.kept), 'a replay keeps nothing', command)
  } else {
    must(!('replay' in outcome), 'a key is new, or forgotten at 24 h', { command, outcome })
    if (expected !== undefined)
      must(code(outcome) === expected, 'a command has the outcome that the document gives it', {
        command,
        expected,
        outcome,
      })
    if (!('id' in outcome)) refusedRight({ before: before.kept, after: after.kept, outcome, keyed, world })
    if (keyed) kept.note(keyed, outcome, machine, now)
  }
  if (!('replay' in outcome)) must(outcome.seq === world.seq, 'an outcome names its entry', outcome)
  return outcome
}

const code = (outcome: Outcome) => ('refused' in outcome ? outcome.refused.code : null)

function refusedRight({
  before,
  after,
  outcome,
  keyed,
  world,
}: {
  before: readonly unknown[]
  after: readonly unknown[]
  outcome: Outcome
  keyed: KeyedCommand | undefined
  world: Machine['world']
}): void {
  if (keyed?.idempotency && keepsAnswer(outcome))
    must(
      world.kept.get(keyed.idempotency.scope)?.seq === outcome.seq,
      'a refusal for its state is kept',
      outcome,
    )
  else must(same(before, after), 'a refusal changes nothing', outcome)
}

const isKeyed = (command: Command): command is KeyedCommand =>
  command.type === 'CreatePayment' || command.type === 'RequestCancel' || command.type === 'SubmitReceipt'
