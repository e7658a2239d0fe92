import { expect, test } from 'vitest'
import { lengthOf } from '../../../src/cli/output/screen.ts'
import { widthOf } from '../../../src/cli/output/width-of.ts'
import { fitToTerminal } from '../../../src/cli/scenario/explore.ts'
import { fitLines } from '../../../src/cli/serve-log.ts'

const REPORT = [
  '✗ One order is paid, and another is not  scenarios/explore/orders.yaml',
  '  webhook-twice: expect app GET /orders/1 is status: paid, shipments: 1: shipments is 2, not 1',
  '    What to do: Store the ids of the events that you handled, in the transaction that changes the order.',
  '    Repeat it: paysim run ./paysim-found/orders-with-a-long-name-webhook-twice.yaml',
  '',
].join('\n')

test.each([40, 60])('a report in a terminal of %i columns breaks between words, and loses none', columns => {
  const lines = fitToTerminal(REPORT, columns).split('\n')
  for (const line of lines)
    if (!line.includes('paysim run')) expect(widthOf(line), line).toBeLessThanOrEqual(columns)
  const wordsOf = (text: string) => text.split(/\s+/)
  expect(wordsOf(lines.join('\n'))).toEqual(wordsOf(REPORT))
  expect(lines).toContain(
    '    Repeat it: paysim run ./paysim-found/orders-with-a-long-name-webhook-twice.yaml',
  )
  // What belongs to a line is indented below it.
  expect(lines.filter(line => /^ {6}\S/.test(line)).length).toBeGreaterThan(0)
})

test('a report for a file or a wide terminal stays unchanged', () => {
  expect(fitToTerminal(REPORT, undefined)).toBe(REPORT)
  expect(fitToTerminal(REPORT, 120)).toBe(REPORT)
})

test('a line of the log of serve goes on below its words, and colours take no columns', () => {
  const [short, long] = [
    '\u001b[2m10:00:00\u001b[22m  GET /payouts  200',
    '10:00:00  payment pi_1 order-1 pending  It waits.',
  ]
  expect(fitLines(`${short}\n${long}\n`, 40, { widthOf: lengthOf })).toBe(
    `${short}\n10:00:00  payment pi_1 order-1\n          pending  It waits.\n`,
  )
})
