/**
 * The paths of the merchant interface. `:id` stands for a record. `create.path` can change the creation's path.
 */
export const OPERATION_PATHS = {
  listPaymentMethods: { method: 'GET', path: '/payment_methods/options' },
  createPayment: { method: 'POST', path: '/payment_intents' },
  getPayment: { method: 'GET', path: '/payment_intents/:id' },
  cancelPayment: { method: 'POST', path: '/payment_intents/:id/cancel-pending' },
  submitReceipt: { method: 'POST', path: '/payment_intents/:id/receipt' },
  listPayouts: { method: 'GET', path: '/payout_intents' },
  cancelPayout: { method: 'POST', path: '/payout_intents/:id/cancel' },
} as const

/** paysim's own paths on the same port: the control surface and the payer's pages. */
export const CONTROL_PREFIX = '/_paysim'
const PAGES = [
  '/',
  '/checkout/style.css',
  '/checkout/main.js',
  '/checkout/icon.svg',
  '/checkout/:account/:payment',
  '/checkout/:account/:payment/live',
  '/bank/:account/:payment',
  '/bank/:account/:payment/live',
  '/qr/:account/:payment',
]

/** Whether a request to this path belongs to paysim itself, and not to the merchant interface. */
export function isOwnPath(path: string): boolean {
  const [plain = '/'] = path.split('?')
  const segments = plain.split('/')
  return (
    segments[1] === CONTROL_PREFIX.slice(1) ||
    PAGES.some(page => namesIn(pathPattern(page), segments) !== undefined)
  )
}

const MOST_CHARACTERS = 1024

/**
 * Why a path cannot be the one that creates payments; undefined if it can. Clients and proxies must not change it,
 * and nothing else may use it.
 */
export function problemWithCreatePath(path: string): string | undefined {
  return problemWithForm(path) ?? problemWithSegments(path.slice(1).split('/')) ?? takenBy(path)
}

function problemWithForm(path: string): string | undefined {
  if (!path.startsWith('/')) return 'it must start with /'
  if (path.length > MOST_CHARACTERS) return `it must have at most ${MOST_CHARACTERS} characters`
  if (path.includes('?')) return 'it must have no query string: end it before the ?'
  if (path.includes('#')) return 'it must have no fragment: end it before the #'
  if (/[{}]|\/:/.test(path))
    return 'it must have no placeholder such as {id} or :id: payments are created at one address'
  const foreign = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/]/u.exec(path.replace(/\p{Cs}/gu, '\ufffd'))?.[0]
  if (foreign !== undefined)
    return `it must not contain ${JSON.stringify(foreign)}: write ${encodeURIComponent(foreign)} instead`
  if (/%(?![0-9A-Fa-f]{2})/.test(path))
    return 'it has a % that two hexadecimal digits do not follow: write %25'
  return undefined
}

function problemWithSegments(segments: readonly string[]): string | undefined {
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1
    if (segment === '' && !isLast) return 'it must have no empty segment: write one / instead of two'
    const text = decodeSegment(segment)
    if (text === undefined) return `its ${segment} must be percent-encoded UTF-8`
    if (text === '.' || text === '..')
      return `it must have no segment ${segment}: clients resolve it before they send the request`
  }
  return undefined
}

function takenBy(path: string): string | undefined {
  const segments = path.split('/')
  const isAt = (pattern: string) => namesIn(pathPattern(pattern), segments) !== undefined
  for (const [id, operation] of Object.entries(OPERATION_PATHS)) {
    if (id !== 'createPayment' && isAt(operation.path))
      return `it is the path of ${operation.method} ${inBraces(operation.path)}`
  }
  return takenByPaysim(path)
}

/** Why a path is none of the merchant interface; undefined if it may be one. It has no query. */
export function takenByPaysim(path: string): string | undefined {
  const segments = path.split('/')
  if (decodeSegment(segments[1] ?? '') === CONTROL_PREFIX.slice(1))
    return `${CONTROL_PREFIX} and the paths below it belong to paysim's control surface`
  const page = PAGES.find(pattern => namesIn(pathPattern(pattern), segments) !== undefined)
  return page === undefined ? undefined : `it is the path of a page of paysim's own, ${inBraces(page)}`
}

/** A path with parameters, such as `/payment_intents/:id`. */
export interface PathPattern {
  readonly text: string
  readonly segments: readonly Segment[]
}
interface Segment {
  /** The name of a parameter; undefined for a fixed segment. */
  readonly name: string | undefined
  /** The text of a fixed segment; undefined for a parameter. */
  readonly text: string | undefined
}

export function pathPattern(text: string): PathPattern {
  const segments = text
    .split('/')
    .map(part =>
      part.startsWith(':')
        ? { name: part.slice(1), text: undefined }
        : { name: undefined, text: decodeSegment(part) ?? part },
    )
  return { text, segments }
}

export const hasParameters = ({ segments }: PathPattern) => segments.some(({ name }) => name !== undefined)

/**
 * The parameters of a path that matches the pattern; undefined if it does not match. `%5F` and `_` are the same.
 */
export function namesIn(
  { segments }: PathPattern,
  path: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== path.length) return undefined
  // Most patterns do not match, so the parameters are collected only when it is known that this one does.
  for (let at = 0; at < segments.length; at++) {
    const given = decodeSegment(path[at] ?? '')
    const text = segments[at]?.text
    if (text === undefined ? !given : text !== given) return undefined
  }
  const names: Record<string, string> = {}
  for (let at = 0; at < segments.length; at++) {
    const name = segments[at]?.name
    if (name !== undefined) names[name] = decodeSegment(path[at] ?? '') ?? ''
  }
  return names
}

/** The path with its parameters filled in, always encoded in the same way. */
export function withNames({ segments }: PathPattern, names: Readonly<Record<string, string>>): string {
  return segments
    .map(({ text, name }) => text ?? names[name ?? ''] ?? '')
    .map(encodeURIComponent)
    .join('/')
}

/** With braces, as OpenAPI writes it. */
export const inBraces = (pattern: string) => pattern.replaceAll(/\/:([a-z]+)/g, '/{$1}')

/** Undefined if the text is not percent-encoded UTF-8. */
function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** How `probe`, `verify` and `doctor` name themselves, so that a simulator can tell their questions from a merchant's calls. */
export const PROBE_AGENT = 'paysim-probe'
