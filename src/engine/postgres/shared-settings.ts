import { StartError } from '../start-error.ts'
import type { SharedSetting } from '../store.ts'
import type { Database } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'
import { readServing } from './nodes.ts'

/**
 * Makes this process and the others use one value of each setting. A process that starts while others serve must have
 * their values; a process that is alone may set new ones.
 */
export async function agreeOn(
  { transaction }: Database,
  { url }: DatabaseAddress,
  process: number,
  settings: readonly SharedSetting[],
): Promise<ReadonlyMap<string, string>> {
  return transaction(async ask => {
    // Processes that start at once agree one after the other.
    await ask('LOCK TABLE cluster IN EXCLUSIVE MODE')
    const others = await readServing(ask, process)
    const { rows } = await ask<{ name: string; value: string }>('SELECT name, value FROM cluster')
    const kept = new Map(rows.map(({ name, value }) => [name, value]))
    for (const { name, given, otherwise } of settings) {
      const before = kept.get(name)
      if (before !== undefined && (given === undefined || given === before)) continue
      if (before !== undefined && others.length > 0)
        throw new StartError(
          `the ${name} of this process differs from that of the processes that already serve ${url}: start it with theirs`,
          2,
        )
      const value = given ?? otherwise()
      await ask(
        'INSERT INTO cluster VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [name, value],
      )
      kept.set(name, value)
    }
    return kept
  })
}
