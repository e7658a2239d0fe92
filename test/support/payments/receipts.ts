import { expect } from 'vitest'
import type { Account } from '../gateway/merchant.ts'
import type { Answer } from '../gateway/server.ts'
import { imageFile, multipart, type Part } from '../http/multipart.ts'

let keysMade = 0

/** An Idempotency-Key not used before. */
export function freshKey(): string {
  keysMade += 1
  return `key-${keysMade}`
}

interface Upload {
  key?: string
  boundary?: string
}

export function upload(account: Account, intent: string, image: Uint8Array, options: Upload = {}) {
  return uploadParts(account, intent, [imageFile(image)], options)
}

export function uploadParts(
  account: Account,
  intent: string,
  parts: Part[],
  options: Upload = {},
): Promise<Answer> {
  const { raw, headers } = multipart(parts, options.boundary)
  return account.call('POST', `/payment_intents/${intent}/receipt`, {
    raw,
    headers: { ...headers, 'idempotency-key': options.key ?? freshKey() },
  })
}

export function attach(
  account: Account,
  intent: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return account.call('POST', `/payment_intents/${intent}/receipt`, { body, headers })
}

/** Stores an asset in the account by the control surface, and returns its id. */
export async function storeAsset(account: Account, image: Uint8Array, kind?: string): Promise<string> {
  const fields: Part[] = kind === undefined ? [] : [{ name: 'kind', content: kind }]
  const stored = await account.control('POST', '/assets', multipart([...fields, imageFile(image)]))
  expect(stored.status, stored.text).toBe(201)
  return stored.body.id
}

export async function receiptOf(account: Account, intent: string) {
  return (await account.read(intent)).receipt
}
