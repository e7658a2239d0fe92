import { invalid } from '../../contract/errors.ts'
import { canonicalJson } from '../../contract/json.ts'
import { readCatalogue } from '../catalogue.ts'
import type { Command, CommandOf } from '../commands.ts'
import { continuedFrom } from '../match-limits.ts'
import { routingTable } from '../routing.ts'
import { readRules } from '../rules/rule.ts'
import type { World } from '../world.ts'
import { chooseMethod, createPayment } from './create-payment.ts'
import { type Context, type Decision, happens, member, notFound, refuse } from './decision.ts'
import { sendEvent } from './emit.ts'
import { movePayment, requestCancel } from './move-payment.ts'
import { createPayout, movePayout } from './payout.ts'
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
    case 'SendEvent':
      return sendEvent(world, command, context)
    case 'Redeliver':
      return redeliver(world, command, context)
    case 'RecordAttempt':
      return recordAttempt(world, command, context)
    case 'ReplaceFaults':
      return replaceFaults(world, command)
    case 'ReplaceRules':
      return replaceRules(world, command, context)
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

function replaceCatalogue(_: World, { catalogue }: CommandOf<'ReplaceCatalogue'>): Decision {
  const read = readCatalogue(catalogue)
  if ('problems' in read) return { refused: invalid(read.problems) }
  return happens('catalogue', [{ type: 'CatalogueReplaced', catalogue }])
}

/** What is the same as before, or only switched on or off, keeps its counts. */
function replaceRules(
  world: World,
  { rules, insteadOf }: CommandOf<'ReplaceRules'>,
  context: Context,
): Decision {
  if (rules === null) return happens('rules', [{ type: 'RulesReplaced', rules }])
  const read = readRules({ rules })
  if ('problems' in read) return { refused: invalid(read.problems) }
  const inForce = (world.rules ?? context.rules).map(({ data }) => data)
  if (insteadOf && !isSameList(insteadOf, inForce)) return refuse('invalid_state', changedSince('rules'))
  const continued = continuedFrom(inForce, rules)
  return happens('rules', [{ type: 'RulesReplaced', rules, ...member('continued', continued) }])
}

function replaceFaults(world: World, { faults, insteadOf }: CommandOf<'ReplaceFaults'>): Decision {
  if (insteadOf && !isSameList(insteadOf, world.faults.data))
    return refuse('invalid_state', changedSince('faults'))
  const continued = continuedFrom(world.faults.data, faults)
  return happens('faults', [{ type: 'FaultsReplaced', faults, ...member('continued', continued) }])
}

const isSameList = (one: readonly unknown[], other: readonly unknown[]) =>
  canonicalJson(one) === canonicalJson(other)

const changedSince = (what: string) =>
  `Somebody changed the ${what} since you read them, so nothing was replaced`

/** Adds rules in front of those in force, which keep their counts. */
function putRulesInFront(world: World, { rules }: CommandOf<'PutRulesInFront'>, context: Context): Decision {
  const read = readRules({ rules })
  if ('problems' in read) return { refused: invalid(read.problems) }
  // The standard rules become the account's own, so that the new rules come before them.
  const standard = world.rules ? {} : { standard: context.rules.map(({ data }) => data) }
  return happens('rules', [{ type: 'RulesPutInFront', rules, ...standard }])
}

function setProviderHealth(
  world: World,
  { provider, healthy }: CommandOf<'SetProviderHealth'>,
  context: Context,
): Decision {
  const { providers } = routingTable(world, context).catalogue.data
  if (!providers.some(({ id }) => id === provider)) return notFound('provider')
  return happens(provider, [{ type: 'ProviderHealthSet', provider, healthy }])
}

function storeAsset(_: World, { kind, image }: CommandOf<'StoreAsset'>, context: Context): Decision {
  const asset = context.newId('ast')
  return happens(asset, [{ type: 'AssetStored', asset, kind, ...image }])
}
