import * as Type from '@sinclair/typebox'
import { operationNames } from '../../contract/operations.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { FaultWindow } from '../../domain/faults/fault.ts'
import { readFaults } from '../../domain/faults/read-faults.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { refuseProblems } from '../refusal.ts'
import { bodyReader, runtimeNamed, send } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))

/** What goes wrong on the wire. */
export function faultCalls(scope: Routes, { gateway, faultBoxes }: ControlSettings): void {
  const path = '/accounts/:account/faults'
  const served = [...operationNames(gateway.contract).values()].flat()
  const view = (account: string) => {
    const runtime = gateway.runtime(account)
    return {
      faults: runtime?.account.world.faults.data ?? [],
      windows: runtime?.account.world.faults.windows.map(windowView) ?? [],
      used: runtime ? faultBoxes.of(runtime).used() : [],
    }
  }
  scope.get(path, (request, reply) => send(reply, 200, view(runtimeNamed(gateway, request).account.id)))
  scope.put(path, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const read = readFaults(await readAnything(request), served)
    if ('problems' in read) throw refuseProblems(read.problems)
    await carryOut(runtime, { type: 'ReplaceFaults', faults: read.data }, 'operator')
    return send(reply, 200, view(runtime.account.id))
  })
  scope.delete(path, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    await carryOut(runtime, { type: 'ReplaceFaults', faults: [] }, 'operator')
    return send(reply, 200, view(runtime.account.id))
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
