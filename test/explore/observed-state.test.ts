import { expect, test } from 'vitest'
import { ObservedState } from '../../src/explore/observed-state.ts'

test('a pause of this process does not count as time that the application had', async () => {
  const orders: string[] = []
  const observed = new ObservedState(async () => JSON.stringify({ orders }), 150)
  await observed.begin({ event: 'evt_1', payment: 'pi_1', reference: 'order-1' })
  // The application is done a moment later, in which this process stands still for longer than it would wait.
  setTimeout(() => orders.push('paid'), 40)
  const settled = observed.settle()
  const until = performance.now() + 400
  while (performance.now() < until);
  expect(await settled).toHaveLength(1)
})
