import { partsWithoutSecrets } from './redact-url.ts'
import { isSecretName, NEEDS_A_LOOK, TOKEN } from './secret-names.ts'

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
