import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CreatePaymentOptionalReference } from '../../src/contract/requests.ts'
import { resources } from '../../src/contract/resources.ts'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

test.for([
  ['takes', Object.keys(CreatePaymentOptionalReference.properties)],
  ['returns', Object.keys(resources('any').PaymentIntent.properties)],
] as const)('docs/api.md names each field that a payment %s', ([, fields]) => {
  expect(fields.filter(field => !new RegExp(`\\b${field}\\b`).test(page))).toEqual([])
})
