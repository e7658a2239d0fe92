import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UnusedMerchants } from '../../src/server/unused-merchants.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function forgetting(remove: (merchant: string) => Promise<void> = async () => {}) {
  const removed: string[] = []
  const told: string[] = []
  const unused = new UnusedMerchants({
    afterMs: 1000,
    monotonic: () => performance.now(),
    async remove(merchant) {
      await remove(merchant)
      removed.push(merchant)
    },
    tell: message => told.push(message),
  })
  return { unused, removed, told }
}

test('a merchant that nobody calls any more is removed, and only that one', async () => {
  const { unused, removed, told } = forgetting()
  unused.made('one')
  unused.made('two')
  await vi.advanceTimersByTimeAsync(600)
  unused.begin('two')()
  await vi.advanceTimersByTimeAsync(999)
  expect(removed).toEqual(['one'])
  expect(told).toEqual(['merchant one is removed, since nobody called it for 1s'])
  await vi.advanceTimersByTimeAsync(1)
  expect(removed).toEqual(['one', 'two'])
})

test('a call or a stream that is not over keeps its merchant', async () => {
  const { unused, removed } = forgetting()
  unused.made('one')
  const [endStream, endCall] = [unused.begin('one'), unused.begin('one')]
  await vi.advanceTimersByTimeAsync(5000)
  endCall()
  await vi.advanceTimersByTimeAsync(5000)
  expect(removed).toEqual([])
  endStream()
  await vi.advanceTimersByTimeAsync(999)
  expect(removed).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(removed).toEqual(['one'])
})

test('a merchant that no call made is never removed', async () => {
  const { unused, removed } = forgetting()
  unused.begin('default')()
  await vi.advanceTimersByTimeAsync(5000)
  expect(removed).toEqual([])
})

test('a merchant that a call removed is not removed again', async () => {
  const { unused, removed } = forgetting()
  unused.made('one')
  const over = unused.begin('one')
  unused.removed('one')
  over()
  await vi.advanceTimersByTimeAsync(5000)
  expect(removed).toEqual([])
})

test('a merchant that cannot be removed does not keep the others', async () => {
  const { unused, removed, told } = forgetting(async merchant => {
    if (merchant === 'one') throw new Error('the disk is full')
  })
  unused.made('one')
  unused.made('two')
  await vi.advanceTimersByTimeAsync(1000)
  expect(removed).toEqual(['two'])
  expect(told[0]).toBe('merchant one could not be removed: the disk is full')
})

test('nothing is removed after the stop', async () => {
  const { unused, removed } = forgetting()
  unused.made('one')
  unused.stop()
  await vi.advanceTimersByTimeAsync(5000)
  expect(removed).toEqual([])
})
