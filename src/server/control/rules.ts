import * as Type from '@sinclair/typebox'
import { readRules } from '../../domain/rules/read-rules.ts'
import { UNCOUNTED } from '../../domain/turns.ts'
import type { Tenant } from '../../engine/tenant.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { refuseFaults } from '../refusal.ts'
import { bodyReader, send, tenantNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))

/** What the provider will do: read, replace, put in front, back to the standard. */
export function ruleCalls(scope: Routes, { gateway }: ControlSettings): void {
  const path = '/accounts/:account/rules'
  scope.get(path, (request, reply) => send(reply, 200, rulesView(tenantNamed(gateway, request))))
  scope.put(path, async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    await carryOut(tenant, { type: 'ReplaceRules', rules: rulesIn(await readAnything(request)) }, 'operator')
    return send(reply, 200, rulesView(tenant))
  })
  scope.post(path, async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    await carryOut(
      tenant,
      { type: 'PutRulesInFront', rules: rulesIn(await readAnything(request)) },
      'operator',
    )
    return send(reply, 200, rulesView(tenant))
  })
  scope.delete(path, async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    await carryOut(tenant, { type: 'ReplaceRules', rules: null }, 'operator')
    return send(reply, 200, rulesView(tenant))
  })
}

function rulesIn(body: unknown) {
  const read = readRules(body)
  if ('faults' in read) throw refuseFaults(read.faults)
  return read.data
}

/** As they were given, and how often each was the one. */
function rulesView({ account, rules: standard }: Tenant) {
  const { rules, ruleCounts } = account.world
  const inForce = rules ?? standard
  return {
    standard: rules === null,
    rules: inForce.map(({ data }) => data),
    used: inForce.map((_, at) => (ruleCounts.get(at) ?? UNCOUNTED).used),
  }
}
