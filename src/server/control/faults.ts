import * as Type from '@sinclair/typebox'
import { operationNames } from '../../contract/operations.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { FaultWindow } from '../../domain/faults/fault.ts'
import { readFaults } from '../../domain/faults/read-faults.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { refuseFaults } from '../refusal.ts'
import { bodyReader, send, tenantNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))

/** What goes wrong on the wire. */
export function faultCalls(scope: Routes, { gateway, faultBoxes }: ControlSettings): void {
  const path = '/accounts/:account/faults'
  const served = [...operationNames(gateway.contract).values()].flat()
  const view = (account: string) => {
    const tenant = gateway.tenant(account)
    return {
      faults: tenant?.account.world.faults.data ?? [],
      windows: tenant?.account.world.faults.windows.map(windowView) ?? [],
      used: tenant ? faultBoxes.of(tenant).used() : [],
    }
  }
  scope.get(path, (request, reply) => send(reply, 200, view(tenantNamed(gateway, request).account.id)))
  scope.put(path, async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    const read = readFaults(await readAnything(request), served)
    if ('faults' in read) throw refuseFaults(read.faults)
    await carryOut(tenant, { type: 'ReplaceFaults', faults: read.data }, 'operator')
    return send(reply, 200, view(tenant.account.id))
  })
  scope.delete(path, async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    await carryOut(tenant, { type: 'ReplaceFaults', faults: [] }, 'operator')
    return send(reply, 200, view(tenant.account.id))
  })
}

/** As it has become: with `for`, from when the faults were set. Null where the fault can happen at any time. */
const windowView = ({ from, until }: FaultWindow) =>
  from === null && until === null
    ? null
    : {
        from: from === null ? null : formatTimestamp(from),
        until: until === null ? null : formatTimestamp(until),
      }
