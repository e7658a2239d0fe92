import type { Account } from './account.ts'

/**
 * The addresses of pages that open without credentials: the signature in the address gives access, until its expiry.
 */
export type PageKind = 'checkout' | 'bank' | 'qr'

type Signer = Pick<Account, 'id' | 'sign'>

export function pagePath(signer: Signer, kind: PageKind, payment: string, expiresAt: number | null): string {
  const path = `/${kind}/${signer.id}/${payment}`
  const query = new URLSearchParams()
  if (expiresAt !== null) query.set('expires', String(expiresAt))
  query.set('signature', signature(signer, kind, payment, expiresAt))
  return `${path}?${query}`
}

export function isGenuine(
  signer: Signer,
  kind: PageKind,
  payment: string,
  expiresAt: number | null,
  given: string,
): boolean {
  return given === signature(signer, kind, payment, expiresAt)
}

const signature = (signer: Signer, kind: PageKind, payment: string, expiresAt: number | null) =>
  signer.sign(`${kind}/${payment}/${expiresAt ?? ''}`)
