import { invalid } from '../../contract/errors.ts'
import { readCatalogue } from '../catalogue.ts'
import type { Command } from '../commands.ts'
import { readRules } from '../rules/read-rules.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, notFound } from './decision.ts'
import { routingTable } from './routing-table.ts'

type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>

export function replaceCatalogue(_: World, { catalogue }: CommandOf<'ReplaceCatalogue'>): Decision {
  const read = readCatalogue(catalogue)
  if ('problems' in read) return { refused: invalid(read.problems) }
  return happens('catalogue', [{ type: 'CatalogueReplaced', catalogue }])
}

export function replaceRules(_: World, { rules }: CommandOf<'ReplaceRules'>): Decision {
  if (rules) {
    const read = readRules({ rules })
    if ('problems' in read) return { refused: invalid(read.problems) }
  }
  return happens('rules', [{ type: 'RulesReplaced', rules }])
}

/** Adds rules in front of those in force, which keep their counts. */
export function putRulesInFront(
  world: World,
  { rules }: CommandOf<'PutRulesInFront'>,
  context: Context,
): Decision {
  const read = readRules({ rules })
  if ('problems' in read) return { refused: invalid(read.problems) }
  // The standard rules become the account's own, so that the new rules come before them.
  const standard = world.rules ? {} : { standard: context.rules.map(({ data }) => data) }
  return happens('rules', [{ type: 'RulesPutInFront', rules, ...standard }])
}

export function setProviderHealth(
  world: World,
  { provider, healthy }: CommandOf<'SetProviderHealth'>,
  context: Context,
): Decision {
  const { providers } = routingTable(world, context).catalogue.data
  if (!providers.some(({ id }) => id === provider)) return notFound('provider')
  return happens(provider, [{ type: 'ProviderHealthSet', provider, healthy }])
}

export function storeAsset(_: World, { kind, image }: CommandOf<'StoreAsset'>, context: Context): Decision {
  const asset = context.newId('ast')
  return happens(asset, [{ type: 'AssetStored', asset, kind, ...image }])
}
