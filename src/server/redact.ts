/** Members whose value nobody else should read, whatever else stands around them. */
const SECRETS = new Set(['secret', 'secret_key', 'control_token'])
/** Of a number, the end is enough to know it again. */
const NUMBERS = new Set(['account_number'])

/** A body as it may be shown: secrets and account numbers are covered, and nothing else is touched. */
export function redact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, covered))
  } catch {
    return text
      .replace(
        /(account_number"?\s*[=:]\s*"?)([^"&,}\s]+)/g,
        (_, name: string, value: string) => name + endOf(value),
      )
      .replace(/\b(sk_live_|sk_test_|whsec_)[\w+/=]+/g, '$1…')
  }
}

function covered(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (SECRETS.has(name)) return '…'
  return NUMBERS.has(name) ? endOf(value) : value
}

const endOf = (number: string) => `…${number.slice(-4)}`
