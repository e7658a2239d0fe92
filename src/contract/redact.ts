/** Keys and webhook secrets, wherever they are. */
const TOKEN = /(whsec_|sk_live_|sk_test_)[\w+/=-]+/

/**
 * A webhook secret: 24 to 64 bytes in base64, with its padding. The last letter before the padding has bits that no byte
 * uses, and a strict reader refuses them unless they are 0.
 */
export const WEBHOOK_SECRET =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?|(?:[A-Za-z0-9+/]{4}){8,21}[A-Za-z0-9+/][AQgw]==)$/

/**
 * Whether a parameter with this name may open something. The server reads `signature` and `code`; the others are what
 * clients send in a URL by mistake. It is better to mask too much, so a part of a name is enough.
 */
const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

const SECRET_NAME = /signature|token|secret|password|(?:^|[^a-z])(?:code|sig|auth|authorization)(?:[^a-z]|$)/i

/** Found in every text that may have something to mask; cheap, because it looks at every address and line of a log. */
const NEEDS_A_LOOK = /%|whsec_|sk_live_|sk_test_|token|secret|password|code|sig|auth/i

/** Members whose value is always secret. */
const SECRETS = new Set(['secret', 'secret_key', 'control_token'])
/** Account numbers, of which the last digits stay visible. */
const NUMBERS = new Set(['account_number'])

/**
 * A text without secrets. Secrets are recognised anywhere by their prefix, or by the member or the parameter that has
 * them, so a new kind of event cannot reveal them. A line of JSON stays a line of JSON.
 */
export function withoutSecrets(text: string): string {
  // Most lines have nothing to mask. These tests look for single texts where they can, because JSON is full of what a
  // regular expression would look at more closely.
  let shown = text.includes('%') ? withoutEncodedSecrets(text) : text
  if (TOKEN.test(shown)) shown = shown.replace(TOKENS, '$1…')
  if (shown.includes('=') && NEEDS_A_LOOK.test(shown))
    shown = shown.replace(PARAMETER, (found: string, before: string, name: string) =>
      isSecretName(name) ? `${before}${name}=…` : found,
    )
  return MEMBERS.some(name => shown.includes(name)) ? shown.replace(MEMBER, '$1$2…') : shown
}

const TOKENS = new RegExp(TOKEN.source, 'g')
/** A parameter that has a value, with what is before it. A value may contain the escapes of JSON. */
const PARAMETER = /(^|[?&;#])([^?&;#=:,"'\\\s]{1,100})=(?:[^&"\\\s]|\\[^"])+/g
const MEMBERS = ['secret', 'control_token']
/** In JSON, or in JSON that is the text of another one. */
const MEMBER =
  /("(?:secret|secret_key|control_token)"\s*:\s*")(?:[^"\\]|\\.)+|("(?:secret|secret_key|control_token)\\+"\s*:\s*\\+")[^"\\]+/g

/** Secrets whose names or prefixes are percent-encoded. The escapes of JSON stay as they are. */
const withoutEncodedSecrets = (text: string) =>
  text
    .split(/((?:\\u[0-9a-fA-F]{4}|\\.|[\s"'<>])+)/s)
    .map(part => (part.includes('%') ? partsWithoutSecrets(part) : part))
    .join('')

/** A body that may be shown: secrets and account numbers are masked, and nothing else is changed. */
export function redact(text: string): string {
  try {
    return withoutSecrets(JSON.stringify(JSON.parse(text, covered)))
  } catch {
    return withoutSecrets(withPlainLetters(text)).replace(
      /(account_number"?\s*[=:]\s*"?)([^"&,}\r\n]+)/g,
      (_, name: string, value: string) => name + endOf(value),
    )
  }
}

/** JSON that was cut may hide a name in escapes such as `\u0073`. */
const withPlainLetters = (text: string) =>
  text.replace(/\\u00([3-7][0-9a-f])/gi, (written, code: string) => {
    const letter = String.fromCharCode(Number.parseInt(code, 16))
    return /\w/.test(letter) ? letter : written
  })

function covered(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (SECRETS.has(name)) return '…'
  return NUMBERS.has(name) ? endOf(value) : value
}

/** Keeps the last four digits; the number may be written in groups. */
const endOf = (number: string) => `…${number.replace(/\D/g, '').slice(-4)}`

/** A header whose name says that its value is secret, or a cookie, of which the name and the attributes are shown. */
export function headerWithoutSecrets(name: string, value: string): string {
  if (isSecretName(name)) return MASK
  const shown = name === 'set-cookie' ? value.replace(/^([^=;]*=)[^;]+/, `$1${MASK}`) : value
  return withoutSecrets(shown)
}

const MASK = '…'
const URL_TOKENS = new RegExp(TOKEN.source, 'g')
const URL_PARAMETER = /(?:^|[?&;#/])([^?&;#/=]*)=/g

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
const partsWithoutSecrets = (text: string): string => text.split('&').map(withoutSecret).join('&')

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
    shown.push(part.includes('%') && hasSecret(decoded(part)) ? MASK : part.replace(URL_TOKENS, `$1${MASK}`))
  }
  return shown.join('')
}

const hasSecret = (text: string | undefined): boolean =>
  text === undefined ||
  TOKEN.test(text) ||
  [...text.matchAll(URL_PARAMETER)].some(([, name = '']) => isSecretName(name))

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
