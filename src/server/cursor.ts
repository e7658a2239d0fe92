import type { Position } from '../domain/list-index.ts'
import type { Account } from '../engine/account/account.ts'

/**
 * A cursor names the last record of a page and is signed by its account, so an edited or foreign one is invalid.
 */
export function writeCursor(account: Pick<Account, 'sign'>, { at, ordinal }: Position): string {
  const position = `${at}.${ordinal}`
  return Buffer.from(`${position}.${account.sign(`cursor/${position}`)}`).toString('base64url')
}

export function readCursor(account: Pick<Account, 'sign'>, cursor: string): Position | undefined {
  const [at, ordinal] = Buffer.from(cursor, 'base64url').toString().split('.').map(Number)
  if (at === undefined || ordinal === undefined) return undefined
  const position = { at, ordinal }
  return writeCursor(account, position) === cursor ? position : undefined
}
