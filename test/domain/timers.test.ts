import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Timer, Timers } from '../../src/domain/timers.ts'

const command = { type: 'AttemptDelivery', delivery: 'dlv_1' } as const
const acts = fc.array(
  fc.oneof(
    fc.record({ set: fc.constantFrom('a', 'b', 'c', 'd'), dueAt: fc.nat(3) }),
    fc.record({ clear: fc.constantFrom('a', 'b', 'c', 'd') }),
  ),
  { maxLength: 40 },
)

test('timers are ordered by due time, then by when they were set; a name has one timer', () => {
  fc.assert(
    fc.property(acts, given => {
      const timers = new Timers()
      let naive: Pick<Timer, 'id' | 'dueAt'>[] = []
      for (const act of given) {
        const name = 'set' in act ? act.set : act.clear
        naive = naive.filter(({ id }) => id !== name)
        if ('set' in act) {
          timers.set(act.set, act.dueAt, command)
          naive.push({ id: act.set, dueAt: act.dueAt })
        } else timers.clear(act.clear)
        const expected = naive.toSorted((a, b) => a.dueAt - b.dueAt)
        expect([...timers.items()].map(({ record: { id, dueAt } }) => ({ id, dueAt }))).toEqual(expected)
        expect(timers.next?.id).toBe(expected[0]?.id)
        expect(timers.size).toBe(expected.length)
        expect(timers.get(name)?.dueAt).toBe('set' in act ? act.dueAt : undefined)
      }
    }),
  )
})
