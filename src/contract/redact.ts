/** Members whose value nobody else should read, whatever else stands around them. */
const SECRETS = new Set(['secret', 'secret_key', 'control_token'])
/** Of a number, the end is enough to know it again. */
const NUMBERS = new Set(['account_number'])

/**
 * A text in which nothing opens anything any more: secrets are known by how they begin, or by the member or the
 * parameter that holds them, wherever they stand. What shows a new kind of event shows no new secret so.
 */
export function withoutSecrets(text: string): string {
  return text.replace(
    SECRET,
    (_, begun = '', parameter = '', member = '') => `${begun}${parameter}${member}…`,
  )
}

const SECRET =
  /\b(whsec_|sk_live_|sk_test_)[\w+/=-]+|([?&](?:signature|code|token)=)[^&"\s]+|("(?:secret|secret_key|control_token)":")(?:[^"\\]|\\.)+/g

/** A body as it may be shown: secrets and account numbers are covered, and nothing else is touched. */
export function redact(text: string): string {
  try {
    return withoutSecrets(JSON.stringify(JSON.parse(text, covered)))
  } catch {
    return withoutSecrets(text).replace(
      /(account_number"?\s*[=:]\s*"?)([^"&,}\r\n]+)/g,
      (_, name: string, value: string) => name + endOf(value),
    )
  }
}

function covered(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (SECRETS.has(name)) return '…'
  return NUMBERS.has(name) ? endOf(value) : value
}

/** Its last four digits: it may be written in groups. */
const endOf = (number: string) => `…${number.replace(/\D/g, '').slice(-4)}`
