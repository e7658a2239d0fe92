import * as Type from '@sinclair/typebox'
import type { FaultsState } from '../../contract/control/faults.ts'
import { operationNames } from '../../contract/operations.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { FaultWindow } from '../../domain/faults/fault.ts'
import { readFaults } from '../../domain/faults/read-faults.ts'
import { carryOut } from '../carry-out.ts'
import { refuseProblems } from '../refusal.ts'
import { bodyReader, type ControlHandlers, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))

/** Faults on the wire. */
export function faultCalls({ gateway, faultBoxes }: ControlSettings) {
  const served = [...operationNames(gateway.contract).values()].flat()
  const view = (account: string): FaultsState => {
    const runtime = gateway.runtime(account)
    return {
      faults: runtime?.account.world.faults.data ?? [],
      windows: runtime?.account.world.faults.windows.map(windowView) ?? [],
      used: runtime ? faultBoxes.of(runtime).used() : [],
    }
  }
  return {
    'GET /accounts/:account/faults': (request, answer) =>
      answer(200, view(runtimeNamed(gateway, request).account.id)),
    'PUT /accounts/:account/faults': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const read = readFaults(await readAnything(request), served)
      if ('problems' in read) throw refuseProblems(read.problems)
      await carryOut(runtime, { type: 'ReplaceFaults', faults: read.data }, 'operator')
      return answer(200, view(runtime.account.id))
    },
    'DELETE /accounts/:account/faults': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      await carryOut(runtime, { type: 'ReplaceFaults', faults: [] }, 'operator')
      return answer(200, view(runtime.account.id))
    },
  } satisfies Partial<ControlHandlers>
}

/**
 * The window in effect: `for` counts from when the faults were set. Null if the fault can happen at any time.
 */
const windowView = ({ from, until }: FaultWindow) =>
  from === null && until === null
    ? null
    : {
        from: from === null ? null : formatTimestamp(from),
        until: until === null ? null : formatTimestamp(until),
      }
