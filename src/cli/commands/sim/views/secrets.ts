/** A secret as it may stand on a screen: enough to tell one from another, and no more. */
export function hidden(secret: string | null | undefined): string {
  if (!secret) return ''
  return secret.replace(/^((?:[a-z]+_)*).*?(.{4})$/, '$1…$2')
}
