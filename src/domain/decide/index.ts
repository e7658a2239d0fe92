import type { Command } from '../commands.ts'
import type { World } from '../world.ts'
import { chooseMethod } from './choose-method.ts'
import { createPayment } from './create-payment.ts'
import { type Context, type Decision, happens } from './decision.ts'
import { movePayment } from './move-payment.ts'
import { createPayout, movePayout } from './payout.ts'
import { requestCancel } from './request-cancel.ts'
import { putRulesInFront, replaceCatalogue, replaceRules, setProviderHealth, storeAsset } from './settings.ts'
import { submitReceipt } from './submit-receipt.ts'
import {
  addEndpoint,
  attemptDelivery,
  recordAttempt,
  redeliver,
  removeEndpoint,
  rotateSecret,
} from './webhook.ts'

export type { Context, Decision } from './decision.ts'

/**
 * The events of a command in a world, or the reason for a refusal. Pure: the same arguments give the same decision.
 */
export function decide(world: World, command: Command, context: Context): Decision {
  switch (command.type) {
    case 'CreatePayment':
      return createPayment(world, command, context)
    case 'ChooseMethod':
      return chooseMethod(world, command, context)
    case 'RequestCancel':
      return requestCancel(world, command, context)
    case 'SubmitReceipt':
      return submitReceipt(world, command, context)
    case 'MovePayment':
      return movePayment(world, command, context)
    case 'CreatePayout':
      return createPayout(world, command, context)
    case 'MovePayout':
      return movePayout(world, command, context)
    case 'StoreAsset':
      return storeAsset(world, command, context)
    case 'AddEndpoint':
      return addEndpoint(world, command, context)
    case 'RotateEndpointSecret':
      return rotateSecret(world, command, context)
    case 'RemoveEndpoint':
      return removeEndpoint(world, command)
    case 'AttemptDelivery':
      return attemptDelivery(world, command, context)
    case 'Redeliver':
      return redeliver(world, command, context)
    case 'RecordAttempt':
      return recordAttempt(world, command, context)
    case 'ReplaceFaults':
      return happens('faults', [{ type: 'FaultsReplaced', faults: command.faults }])
    case 'ReplaceRules':
      return replaceRules(world, command)
    case 'PutRulesInFront':
      return putRulesInFront(world, command, context)
    case 'ReplaceCatalogue':
      return replaceCatalogue(world, command)
    case 'SetProviderHealth':
      return setProviderHealth(world, command, context)
    case 'SetClock':
      return happens('clock', [{ type: 'ClockSet', clock: command.clock }])
  }
}
