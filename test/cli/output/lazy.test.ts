import { expect, test, vi } from 'vitest'
import type { OutputFlags } from '../../../src/cli/output/formats.ts'
import { openPrinter } from '../../../src/cli/output/printer.ts'
import type { View } from '../../../src/cli/output/view.ts'
import { paymentView } from '../../../src/cli/output/views/payment.ts'
import { MemoryStream } from '../../support/cli/memory-stream.ts'
import { qrPayment } from '../../support/cli/samples.ts'

const loaded = vi.hoisted(() => [] as string[])
const noted = vi.hoisted(() => (name: string) => async (original: () => Promise<object>) => {
  loaded.push(name)
  return original()
})
vi.mock('chalk', noted('chalk'))
vi.mock('string-width', noted('string-width'))
vi.mock('yaml', noted('yaml'))

/** A start pays for what it loads: in this order, each format adds what it needs, and no more. */
test.each<[flags: OutputFlags, reference: string, packages: string[]]>([
  [{ output: 'json' }, 'ค่าน้ำ', []],
  [{ output: 'jsonl' }, 'ค่าน้ำ', []],
  [{ output: 'csv' }, 'ค่าน้ำ', []],
  [{ query: 'id' }, 'ค่าน้ำ', []],
  [{ output: 'yaml' }, 'ค่าน้ำ', ['yaml']],
  [{}, 'order-42', ['yaml', 'chalk']],
  [{}, 'ค่าน้ำ', ['yaml', 'chalk', 'string-width']],
])('%j loads only what it needs for %j', async (flags, merchant_reference, packages) => {
  const body = { ...qrPayment, merchant_reference, metadata: null }
  const { show } = openPrinter(flags, new MemoryStream())
  await show<unknown>({ body, text: JSON.stringify(body) }, paymentView as View<unknown>)
  expect(loaded).toEqual(packages)
})
