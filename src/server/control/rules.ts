import * as Type from '@sinclair/typebox'
import { UNCOUNTED } from '../../domain/match-limits.ts'
import { readRules } from '../../domain/rules/read-rules.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { refuseProblems } from '../refusal.ts'
import { bodyReader, runtimeNamed, send } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))

/** What the provider will do: read, replace, put in front, back to the standard. */
export function ruleCalls(scope: Routes, { gateway }: ControlSettings): void {
  const path = '/accounts/:account/rules'
  scope.get(path, (request, reply) => send(reply, 200, rulesView(runtimeNamed(gateway, request))))
  scope.put(path, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    await carryOut(runtime, { type: 'ReplaceRules', rules: rulesIn(await readAnything(request)) }, 'operator')
    return send(reply, 200, rulesView(runtime))
  })
  scope.post(path, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    await carryOut(
      runtime,
      { type: 'PutRulesInFront', rules: rulesIn(await readAnything(request)) },
      'operator',
    )
    return send(reply, 200, rulesView(runtime))
  })
  scope.delete(path, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    await carryOut(runtime, { type: 'ReplaceRules', rules: null }, 'operator')
    return send(reply, 200, rulesView(runtime))
  })
}

function rulesIn(body: unknown) {
  const read = readRules(body)
  if ('problems' in read) throw refuseProblems(read.problems)
  return read.data
}

/** As they were given, and how often each was the one. */
function rulesView({ account, rules: standard }: AccountRuntime) {
  const { rules, ruleCounts } = account.world
  const inForce = rules ?? standard
  return {
    standard: rules === null,
    rules: inForce.map(({ data }) => data),
    used: inForce.map((_, at) => (ruleCounts.get(at) ?? UNCOUNTED).used),
  }
}
