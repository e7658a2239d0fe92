import { DURATION_PATTERN } from './durations.ts'
import { WEBHOOK_SECRET } from './redact.ts'

/** The pattern of a text that must not be blank. */
export const NOT_BLANK = '\\S'

/** An http or https URL, as far as a pattern can describe one. */
export const WEB_ADDRESS =
  '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#\\\\\\u0000-\\u001f\\u007f-\\u009f][^\\s\\u0000-\\u001f\\u007f-\\u009f]*$'

const beginning = (start: string) => `text that begins with ${start}`

/** What each pattern of the schemas asks for, after "must be": nobody should have to read a regular expression. */
const WORDS: Readonly<Record<string, string>> = {
  '^[1-9]\\d*$': 'a positive integer in minor units, such as 150000, without a leading zero',
  '^(0|[1-9]\\d*)$': 'an integer in minor units, such as 150000 or 0, without a leading zero',
  '^([1-9]\\d?|100)$': 'a whole number from 1 to 100',
  '^[0-9]+$': 'a whole number in digits',
  '^[0-9]{4}$': 'four digits',
  '^[A-Z]{3,6}$': 'an uppercase currency code, such as THB',
  '^[A-Z]{2}$': 'an uppercase ISO 3166-1 alpha-2 code, such as TH',
  '^[0-9a-f]{64}$': 'a SHA-256 digest: 64 digits and letters from a to f',
  '^[a-z0-9][a-z0-9_-]*$': 'lower-case letters, digits, - and _, beginning with a letter or a digit',
  '^[a-z0-9][a-z0-9_-]{0,63}$':
    '1 to 64 lower-case letters, digits, - and _, beginning with a letter or a digit',
  '^[a-z][a-z0-9_]*$': 'a name of lower-case letters, digits and _ that begins with a letter',
  '^[^@]*@[^@]*$': 'an address with one @',
  '^[0-9A-Za-z -]*$': 'digits, letters, spaces and hyphens',
  '^[!-~]([ -~]*[!-~])?$': 'printable ASCII characters, without a space at either end',
  '^[A-Z]+ /': 'a method and a path, such as POST /orders',
  '^https?://': 'a URL that begins with http:// or https://',
  '^/': 'a path that begins with /',
  '^\\d+(\\.\\d+)?x$': 'a speed such as 60x or 1.5x',
  '^\\$\\{[^}]+\\}$': `a reference such as \${payment.id}`,
  '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$': 'signatures that begin with v1, with spaces between them',
  '^data:image/png;base64,': 'a data URL of a PNG image',
  "^[A-Za-z0-9'()+_,./:=?-]{1,70}$": "1 to 70 letters, digits and '()+_,./:=?-, as a multipart boundary has",
  [WEB_ADDRESS]: 'an absolute http or https URL',
  [DURATION_PATTERN]: 'a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  [WEBHOOK_SECRET.source]: 'whsec_, followed by 24 to 64 bytes in base64',
  ...Object.fromEntries(
    ['pi_', 'po_', 'evt_', 'req_', 'ast_', 'hold_'].map(prefix => [`^${prefix}`, beginning(prefix)]),
  ),
}

/** What a text that does not match the pattern should be. */
export function patternWords(pattern: string): string | undefined {
  return Object.hasOwn(WORDS, pattern) ? WORDS[pattern] : undefined
}
