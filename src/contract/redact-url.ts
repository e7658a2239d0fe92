import { isSecretName, NEEDS_A_LOOK, TOKEN } from './secret-names.ts'

const MASK = '…'
const TOKENS = new RegExp(TOKEN.source, 'g')
const PARAMETER = /(?:^|[?&;#/])([^?&;#/=]*)=/g

/**
 * The address of a request without secrets. The names of parameters are decoded before they are compared. If the query
 * or a part of the path cannot be decoded, all of it is masked.
 */
export function urlWithoutSecrets(url: string): string {
  // Most addresses have nothing to mask, which this quick test shows.
  if (!NEEDS_A_LOOK.test(url)) return url
  const mark = url.indexOf('?')
  const path = (mark === -1 ? url : url.slice(0, mark)).split('/').map(decodable).join('/')
  return mark === -1 ? path : `${path}?${decodable(url.slice(mark + 1))}`
}

function decodable(text: string): string {
  if (!text.includes('%')) return partsWithoutSecrets(text)
  try {
    decodeURIComponent(text)
  } catch {
    return MASK
  }
  return partsWithoutSecrets(text)
}

/** A query, a part of a path, or another text that may have percent-encoded secrets in it. */
export const partsWithoutSecrets = (text: string): string => text.split('&').map(withoutSecret).join('&')

/**
 * The server ends a parameter only at `&`, other software also at `;`. So a parameter may begin after `;`, and what
 * follows a secret one is masked up to `&`.
 */
function withoutSecret(text: string): string {
  const shown: string[] = []
  for (const part of text.split(/([?;#])/)) {
    const equals = part.indexOf('=')
    const name = equals === -1 ? undefined : decoded(part.slice(0, equals))
    if (name !== undefined && isSecretName(name) && !TOKEN.test(name))
      return `${shown.join('')}${part.slice(0, equals)}=${MASK}`
    shown.push(part.includes('%') && hasSecret(decoded(part)) ? MASK : part.replace(TOKENS, `$1${MASK}`))
  }
  return shown.join('')
}

const hasSecret = (text: string | undefined): boolean =>
  text === undefined ||
  TOKEN.test(text) ||
  [...text.matchAll(PARAMETER)].some(([, name = '']) => isSecretName(name))

/** Text can be encoded twice by mistake. Text that is encoded more often than this was not encoded by mistake. */
const MOST_ROUNDS = 5

/** The text with all its ASCII characters decoded; undefined if it was encoded too often. */
function decoded(text: string): string | undefined {
  let plain = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = plain
    plain = before.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (plain === before) return plain
  }
  return undefined
}
