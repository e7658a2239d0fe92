import type { FaultRule } from '../../../contract/control/faults.ts'
import type { ProviderRule } from '../../../contract/control/rules.ts'
import { canonicalJson } from '../../../contract/json.ts'
import { ApiError, call } from './api.ts'

/**
 * Changes of the rules or the faults. Each is made of the list as it is now, not as it was when the page read it, and the
 * server refuses it if somebody was faster: so that two people who edit a list keep each other's work.
 */

export interface Switchable {
  readonly off?: boolean
}

/** What is wanted of the list as it is now. It throws if that is not possible any more. */
export type Change<T> = (now: readonly T[]) => readonly T[]

const TRIES = 5

async function changed<T>(
  read: () => Promise<readonly T[]>,
  replace: (list: readonly T[], now: readonly T[]) => Promise<unknown>,
  change: Change<T>,
): Promise<void> {
  for (let left = TRIES; left > 0; left--) {
    const now = await read()
    try {
      await replace(change(now), now)
      return
    } catch (error) {
      if (left === 1 || !(error instanceof ApiError && error.status === 422)) throw error
    }
  }
}

export const changeRules = (account: string, change: Change<ProviderRule>): Promise<void> =>
  changed(
    async () => (await call('GET /accounts/:account/rules', { params: { account } })).rules,
    (rules, now) =>
      call('PUT /accounts/:account/rules', { params: { account }, body: { rules, instead_of: now } }),
    change,
  )

export const changeFaults = (account: string, change: Change<FaultRule>): Promise<void> =>
  changed(
    async () => (await call('GET /accounts/:account/faults', { params: { account } })).faults,
    (faults, now) =>
      call('PUT /accounts/:account/faults', { params: { account }, body: { faults, instead_of: now } }),
    change,
  )

export const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other)

const isSameButSwitched = ({ off: _, ...one }: Switchable, { off: __, ...other }: Switchable) =>
  isSame(one, other)

/** Where an item is now that was at a place, which somebody may have switched. */
export function placeOf<T extends Switchable>(item: T, was: number, now: readonly T[]): number {
  const there = now[was]
  const at =
    there && isSameButSwitched(item, there) ? was : now.findIndex(each => isSameButSwitched(item, each))
  if (at === -1) throw new Error('Somebody changed or removed it meanwhile. Nothing was changed')
  return at
}

/** Puts others in the place of one, which keep its switch; without any, it is removed. */
export const replacing =
  <T extends Switchable>(item: T, was: number, by: readonly T[]): Change<T> =>
  now => {
    const at = placeOf(item, was, now)
    const isOff = now[at]?.off === true
    return now.toSpliced(at, 1, ...by.map(each => switchedTo(each, !isOff)))
  }

export const switching =
  <T extends Switchable>(item: T, was: number, on: boolean): Change<T> =>
  now =>
    now.with(placeOf(item, was, now), switchedTo(now[placeOf(item, was, now)] ?? item, on))

function switchedTo<T extends Switchable>(item: T, on: boolean): T {
  const { off: _, ...rest } = item
  return (on ? rest : { ...rest, off: true }) as T
}

/** Puts the items in this order, if they are still the same. */
export const ordering =
  <T extends Switchable>(wanted: readonly T[]): Change<T> =>
  now => {
    const left = [...now]
    const ordered = wanted.flatMap(item => {
      const at = left.findIndex(each => isSameButSwitched(item, each))
      return at === -1 ? [] : left.splice(at, 1)
    })
    if (left.length > 0 || ordered.length < wanted.length)
      throw new Error('Somebody changed the list meanwhile. The order was not changed')
    return ordered
  }

/** Replaces the whole list, if it is still the one that somebody saw. */
export const replacingAll =
  <T>(seen: readonly T[], by: readonly T[]): Change<T> =>
  now => {
    if (!isSame(seen, now)) throw new Error('Somebody changed the list meanwhile. Nothing was replaced')
    return by
  }
