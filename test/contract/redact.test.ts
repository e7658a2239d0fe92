import { expect, test } from 'vitest'
import { redact } from '../../src/contract/redact.ts'

test.each([
  [
    '{"a":{"secret":"whsec_x"},"n":[{"secret_key":"sk_test_x"}]}',
    '{"a":{"secret":"…"},"n":[{"secret_key":"…"}]}',
  ],
  [
    '{"payment_method_options":{"account_number":"1234567890"}}',
    '{"payment_method_options":{"account_number":"…7890"}}',
  ],
  ['act=choose&account_number=1234567890&bank=bbl', 'act=choose&account_number=…7890&bank=bbl'],
  ['{"account_number": "1234567890", "cut', '{"account_number": "…7890", "cut'],
  ['{"account_number": "1234 5678-9012", "cut', '{"account_number": "…9012", "cut'],
  ['half of {"key": "sk_live_abcDEF', 'half of {"key": "sk_live_…'],
  ['{"amount":"10000","merchant_reference":"order-1"}', '{"amount":"10000","merchant_reference":"order-1"}'],
  ['not JSON at all', 'not JSON at all'],
  ['{"body":"{\\"url\\":\\"/qr?signature=abc\\"}"}', '{"body":"{\\"url\\":\\"/qr?signature=…\\"}"}'],
])('%s is shown as %s', (text, shown) => {
  expect(redact(text)).toBe(shown)
})
