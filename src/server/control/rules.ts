import * as Type from '@sinclair/typebox'
import type { RulesState } from '../../contract/control/rules.ts'
import { UNCOUNTED } from '../../domain/match-limits.ts'
import { readRules } from '../../domain/rules/read-rules.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { carryOut } from '../carry-out.ts'
import { refuseProblems } from '../refusal.ts'
import { bodyReader, type ControlHandlers, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))

/** Reads and replaces rules, adds rules in front, and restores the standard rules. */
export function ruleCalls({ gateway }: ControlSettings) {
  return {
    'GET /accounts/:account/rules': (request, answer) =>
      answer(200, rulesView(runtimeNamed(gateway, request))),
    'PUT /accounts/:account/rules': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      await carryOut(
        runtime,
        { type: 'ReplaceRules', rules: rulesIn(await readAnything(request)) },
        'operator',
      )
      return answer(200, rulesView(runtime))
    },
    'POST /accounts/:account/rules': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      await carryOut(
        runtime,
        { type: 'PutRulesInFront', rules: rulesIn(await readAnything(request)) },
        'operator',
      )
      return answer(200, rulesView(runtime))
    },
    'DELETE /accounts/:account/rules': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      await carryOut(runtime, { type: 'ReplaceRules', rules: null }, 'operator')
      return answer(200, rulesView(runtime))
    },
  } satisfies Partial<ControlHandlers>
}

function rulesIn(body: unknown) {
  const read = readRules(body)
  if ('problems' in read) throw refuseProblems(read.problems)
  return read.data
}

/** The rules as they were given, and how often each matched. */
function rulesView({ account, rules: standard }: AccountRuntime): RulesState {
  const { rules, ruleCounts } = account.world
  const inForce = rules ?? standard
  return {
    standard: rules === null,
    rules: inForce.map(({ data }) => data),
    used: inForce.map((_, at) => (ruleCounts.get(at) ?? UNCOUNTED).used),
  }
}
