import { OPERATION_PATHS } from './paths.ts'

/**
 * What the interface document leaves open, decided once. No other file may repeat one of these decisions: the
 * simulator follows it, the client accepts every allowed value, and the docs print it.
 */
interface Described {
  readonly question: string
  readonly why: string
}
interface Choice<V extends string = string> extends Described {
  readonly kind: 'choice'
  readonly values: readonly [V, ...V[]]
}
interface Path extends Described {
  readonly kind: 'path'
  readonly value: string
}
interface Duration extends Described {
  readonly kind: 'duration'
  readonly value: string
}
/** Either a fixed word, which is the default, or a duration. */
interface WordOrDuration<V extends string = string> extends Described {
  readonly kind: 'word or duration'
  readonly value: V
}
interface Durations extends Described {
  readonly kind: 'durations'
  readonly value: readonly string[]
}
export interface Constant extends Described {
  readonly kind: 'constant'
  readonly answer: string
}
export type Decision = Choice | Path | Duration | WordOrDuration | Durations | Constant

/** The first value is the default. */
function choice<const V extends string>(
  question: string,
  values: readonly [V, ...V[]],
  why: string,
): Choice<V> {
  return { kind: 'choice', question, values, why }
}
const constant = (question: string, answer: string, why: string): Constant => ({
  kind: 'constant',
  question,
  answer,
  why,
})

export const DECISIONS = {
  'auth.failure_status': choice(
    'The answer to missing or invalid credentials',
    ['401', '403'],
    'Code unauthorized with WWW-Authenticate: Basic realm="paysim"; an unknown key and a wrong secret look the same, so that keys cannot be probed.',
  ),
  'auth.rotation': constant(
    'Key rotation and scopes',
    'several active key pairs for each merchant and environment; revoking is instant; no scopes',
    'Rotation without downtime needs two valid pairs at the same time.',
  ),
  'create.path': {
    kind: 'path',
    question: 'The path that creates a payment intent (by POST)',
    value: OPERATION_PATHS.createPayment.path,
    why: 'The retrieve path already uses this collection.',
  } as Path,
  'create.merchant_reference': choice(
    'Is merchant_reference required on create?',
    ['required', 'optional'],
    '1 to 256 code points, as in the list filter. It need not be unique, because a merchant may retry an order.',
  ),
  'create.idempotency': choice(
    'Idempotency-Key on create',
    ['optional', 'off', 'required'],
    'Kept 24 hours; the fingerprint is the canonical JSON body, so member order and white space do not matter.',
  ),
  'fields.absent': choice(
    'A field that does not apply (receipt, processing_reason, failure_*)',
    ['null', 'omit'],
    'A field that is always present is easier to read. Sub-fields of display_qr_code are left out when not rendered.',
  ),
  'next_action.bank_transfer': constant(
    'Fields of the bank transfer instructions',
    '{type, bank:{code,label}, account:{name,number}, reference, expires_at}',
    'The document names structured bank, account and reference values, but not their members.',
  ),
  'next_action.qr_expiry': constant(
    'Expiry of a QR code',
    'not sent: expires_at is not listed for it; the action still expires and the intent then reads processing',
    'The server sends only fields that the document lists.',
  ),
  'methods.category': constant(
    'All categories',
    'bank_redirect and bank_transfer; a QR transfer is a bank_transfer; the client takes any value',
    'The document shows only these two.',
  ),
  'methods.payer_keys': choice(
    'Which payer keys discovery lists',
    ['all', 'relevant'],
    'All six with their required flag, or only those that the route needs.',
  ),
  'methods.banks_empty': choice(
    'options.banks of a method without a choice of bank',
    ['empty', 'omit'],
    'With an empty array, the caller needs no special case.',
  ),
  'methods.hosted_actions': constant(
    'next_action_types in hosted mode',
    '["redirect_to_url"]',
    'A hosted intent always returns that type.',
  ),
  'methods.denied_mode': choice(
    'Discovery with a checkout mode that the Team policy denies',
    ['403', 'empty'],
    'The policy must allow the mode, and 403 reports it before the merchant tries to create a payment.',
  ),
  'errors.body': choice(
    'The shape of an error body',
    ['nested', 'flat', 'problem'],
    'nested: {"error":{code,message,details,request_id}}; flat: the same members at the top; problem: RFC 9457.',
  ),
  'errors.syntax': constant(
    'Malformed JSON, content types, bodies over the cap',
    '400 validation_failed; 415 unsupported_media_type (cancel-pending without Content-Type too; payout cancel without any body needs none); 413 payload_too_large',
    'These codes have their usual HTTP meaning.',
  ),
  'errors.unknown_method': choice(
    'A payment_method that the catalogue does not have',
    ['payment_configuration_unavailable', 'validation_failed'],
    'The set of methods is configuration, not part of the schema.',
  ),
  'errors.amount_limits': choice(
    "An amount outside every route's limits, with a method or (hosted) without",
    ['routing_unavailable', 'payment_configuration_unavailable'],
    'A route is configured, and another amount would work. The message names the limits.',
  ),
  'errors.country': constant(
    'A well-formed but unassigned ISO 3166 code',
    '400 validation_failed on create; an empty list in discovery',
    'Discovery lists what is available, which can be nothing.',
  ),
  'errors.idempotency_conflict': choice(
    'The status of idempotency_conflict',
    ['409', '422', '400'],
    'The request conflicts with one that was already answered.',
  ),
  'errors.in_flight': constant(
    'The same key while the first request still runs',
    'wait and replay; 409 idempotency_in_progress after 5 s',
    'A retry that arrives before the first request has finished still gets the right answer.',
  ),
  'errors.codes': constant(
    'The closed list of codes',
    'the eight shown, plus unauthorized, method_not_allowed (405 with Allow), unsupported_media_type, payload_too_large, rate_limited, internal_error, service_unavailable, idempotency_in_progress',
    'Every HTTP service needs codes for these cases.',
  ),
  'errors.precedence': constant(
    'Which error is returned if several apply',
    '401 (also for two Authorization headers, whatever they hold), then syntax (415, 413, 400), 404, schema 400 (what the body alone shows), idempotent replay, 403, state 422, capability 422, unknown bank 400, configuration and routing 422, and last the 400 of fields that the chosen route requires',
    'A repeat with a key gets its stored answer, whatever has changed since. The fields that a route requires are known only after the route is chosen.',
  ),
  'strict.unknown_members': choice(
    'Unknown top-level members of a body',
    ['ignore', 'reject'],
    'Most services ignore them. The request log names them.',
  ),
  'strict.nulls': choice(
    'An explicit null where a string or an object is expected',
    ['reject', 'absent'],
    'null is not a string. With absent, the server treats it as if the member were missing.',
  ),
  'strict.options': constant(
    'An unknown key or value in payment_method_options',
    "an unknown key is 400 validation_failed; a known key that the route does not need is accepted; bank must be one of the method's codes, so with a method that lists no banks any bank is 400",
    "The document lists the four keys, and the catalogue lists a method's banks. Which of the keys a route needs varies.",
  ),
  'customer.formats': constant(
    'Formats of customer fields',
    'non-empty strings of at most 256, not only of blanks; email needs one @; {} is fine where the route needs nothing; extras ignored',
    'Names and phone numbers have many formats.',
  ),
  'return_url.rules': constant(
    'What a return_url may be',
    'absolute http or https, at most 2048; kept and rendered byte for byte; javascript:, data: and others refused',
    'The hosted page shows it as a link.',
  ),
  'payment.transitions': constant(
    'Payment transitions not shown',
    'pending and processing alternate with the next action; both go to succeeded, failed, expired; terminal is final',
    'These are the fewest transitions that satisfy the stated rules.',
  ),
  'payment.action_expiry': constant(
    'The action expires before an outcome',
    "the intent reads processing with next_action null, in both modes; but an action never expires while a cancellation or a receipt's verification is in flight, nor while a rejected receipt awaits its replacement; when that ends without ending the payment, an expiry that is overdue happens then; the intent's own expiry is never held back",
    'The document says that a pending intent without a current next_action is returned as processing, and that a payment stays pending during a cancellation, during a verification and after a rejected receipt.',
  ),
  'payment.expiry': {
    kind: 'duration',
    question: 'When the whole intent expires',
    value: '72h',
    why: "Counted from its creation, unless the intent's rule sets another expiry. 72h is long enough for a bank transfer over a weekend.",
  } as Duration,
  'payment.after_cancel': choice(
    'The status once a cancellation is confirmed',
    ['failed', 'expired'],
    'There is no cancelled status. failed has the failure_code payment_cancelled; the event is payment.cancelled in both cases.',
  ),
  'payment.method_after_choice': choice(
    'payment_method after the payer chose one on the hosted page',
    ['code', 'keep_null'],
    "The merchant should learn the payer's choice.",
  ),
  'payment.processing_reason': constant(
    'Other values of processing_reason',
    'only asynchronous, while the status is processing; else null',
    'The document shows only this value.',
  ),
  'cancel.no_route': choice(
    'cancel-pending on a hosted intent with no method chosen',
    ['refuse', 'cancel'],
    'No route is frozen that could support it, so refuse answers 422 provider_capability_unsupported; cancel answers 202 and cancels the intent without a provider.',
  ),
  'cancel.during_receipt': choice(
    'cancel-pending while a receipt is verified',
    ['allow', 'refuse'],
    'The intent is still pending.',
  ),
  'cancel.repeat': constant(
    'A second cancel-pending while one is in flight',
    '202 again, one provider call',
    'A repeated request must be safe.',
  ),
  'idempotency.keys': constant(
    'Key format, scope, what is stored',
    '1 to 255 printable ASCII, non-UUID accepted; scope = merchant, environment, method and full path with the id; stored after validation passed; ends at 24 h; ignored on the JSON receipt; replay = the stored status and body, plus Idempotent-Replayed: true; a kept answer is replayed whatever became of catalogue, policy, health or state since',
    'Keys are scoped by path; otherwise the answer for one intent could be replayed for another intent with the same image.',
  ),
  'idempotency.refusals': choice(
    'Whether a 422 uses up its key',
    ['keep', 'forget'],
    'keep: a 422 is stored and replayed like any other answer. forget: only successes are stored, so a call that was refused because of an outage can be repeated with its key. No other status (400, 401, 403, 404, 409, 415, 5xx) is ever stored.',
  ),
  'receipt.refusals': constant(
    'When a receipt is refused',
    'not pending, or a different receipt in progress: 422 invalid_state; the intent takes no receipt: 422 provider_capability_unsupported',
    'cancel-pending uses these codes for the same two reasons.',
  ),
  'receipt.asset_errors': constant(
    'An asset of the wrong kind; attached to another intent; unknown or foreign',
    '400 validation_failed; 422 invalid_state; 404 not_found',
    "Another account's asset must look like one that never existed.",
  ),
  'receipt.same_again': constant(
    'The same asset or image again',
    "after a rejection: a new attempt; while processing or submitted: success with the current intent and no second submission, whatever the payment's status is by then",
    'The document says that repeating the request is safe, and the first answer may have been lost.',
  ),
  'receipt.after_end': constant(
    'A verification in flight when the payment ends',
    'it goes on: the receipt becomes submitted or rejected as the provider says, the payment stays as it ended',
    'The provider already has the image, and its verdict is still true.',
  ),
  'receipt.file_faults': choice(
    'Image too large, of the wrong type, missing, or two of them',
    ['400', '413/415'],
    '400: validation_failed for each; 413 only if the body is over 8 MiB. The first bytes of the file decide its type, not its declared type or its name.',
  ),
  'status.receipt': choice(
    'Success code of a receipt',
    ['200', '202'],
    'The document shows no code, so the plain success code is used.',
  ),
  'status.payout_cancel': choice(
    'Success code of a payout cancel',
    ['200', '202'],
    'The document shows no code, so the plain success code is used.',
  ),
  'list.faults': constant(
    'Bad list parameters and cursors',
    '400 validation_failed, never clamped, never page one again; strict RFC 3339 with Z or ±hh:mm; after > before gives an empty page; unknown names ignored; a repeated single-valued name is 400 (discovery too); status takes commas and repeats',
    "If the server corrected the request silently, the caller's bug would stay hidden.",
  ),
  'list.last_cursor': choice(
    'next_cursor on the last page',
    ['null', 'omit', 'empty'],
    'null clearly means that there is no next page.',
  ),
  'payout.states': constant(
    'Payout states and transitions',
    'requires_approval to processing or cancelled; processing to succeeded or failed; names as spelled here',
    'These are the states that the document names, and the final states that they need.',
  ),
  'payout.errors': constant(
    'Errors of the payout operations',
    '404 not_found; 422 invalid_state; 400 validation_failed; a second cancel is 422',
    'Payments use the same codes.',
  ),
  'payout.recipient': constant(
    'account_last4 of a recipient',
    'the last four digits of the account number, its separators ignored; an account number is 4 to 34 of digits, letters, spaces and hyphens with at least four digits',
    'The document says last four digits. Account numbers are often written in groups, and an IBAN has letters.',
  ),
  'payout.admin': constant(
    'Creating, retrieving and approving payouts',
    'not on the merchant API but on the control surface; a path that no operation has is 404 not_found; a path that one has, by another method, is 405 with Allow (so POST /payout_intents is 405, GET /payout_intents/{id} 404)',
    'The document shows no such endpoint.',
  ),
  'events.names': constant(
    'Event names',
    'payment.succeeded, payment.failed, payment.expired, payment.cancelled, payout.succeeded, payout.failed, payout.cancelled; off by default: payment.created, payment.updated, payout.updated',
    'The document shows payment.cancelled; the other names follow its pattern.',
  ),
  'events.payload': constant(
    'Event payload',
    '{id, type, timestamp, environment, data: <the full object>}; a payout adds data.cancel_reason when one was given',
    'The object has the form that a GET returns.',
  ),
  'events.signing': constant(
    'Signing',
    'Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature: v1,<base64 HMAC-SHA256 of id.timestamp.body>, secret whsec_…; several signatures while a secret rotates',
    'This is a public standard with verifiers in many languages.',
  ),
  'events.retry': {
    kind: 'durations',
    question: 'The gap before each delivery attempt',
    value: ['0s', '5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'],
    why: "On the account's clock (75 h 35 min 5 s in total). 2xx succeeds, 3xx fails, 410 disables the endpoint, Retry-After is honoured. An attempt times out after 15 s (an advance waits at most 15 s of wall time for all receivers; attempts that are still open then count as timed out). Each attempt has the same id and a new timestamp.",
  } as Durations,
  'limits.rate': constant(
    'Rate limits',
    'none; a fault rule can answer 429 with Retry-After',
    'The document shows none.',
  ),
  'limits.version': constant('Versioning', 'none', 'The document shows none.'),
  headers: constant(
    'Request id and caching',
    'Request-Id: req_… on every answer, also 401; Cache-Control: no-store',
    'Support must be able to find every answer about money, and caches must not store it.',
  ),
  ids: constant(
    'Id and time format',
    'pi_, po_, evt_, ast_ + 24 base62; RFC 3339 UTC with milliseconds and Z',
    'In a log, the prefix shows what an id refers to.',
  ),
  'route.frozen': constant(
    'A frozen route that later becomes unhealthy',
    'stays frozen; cancel and receipt support are those at creation',
    'A payment that has started must keep its provider.',
  ),
  'hosted.page': {
    kind: 'word or duration',
    question: 'How long a hosted page is open',
    value: 'intent',
    why: "An HMAC-signed URL. intent: it is open as long as the intent, and next_action.expires_at is the intent's expiry; the URL never changes, and a rule's expiry or expires_after moves only expires_at. A duration counts from creation; then the action expires, as payment.action_expiry says. The last page has a link to return_url as given, opened by GET, with nothing appended; after the end, the URL shows how the intent ended.",
  } as WordOrDuration<'intent'>,
} satisfies Record<string, Decision>

export type DecisionKey = keyof typeof DECISIONS
type Value<D> =
  D extends Choice<infer V>
    ? V
    : D extends Path
      ? string
      : D extends Duration
        ? number
        : D extends WordOrDuration<infer V>
          ? V | number
          : D extends Durations
            ? readonly number[]
            : never
export type SwitchKey = {
  [K in DecisionKey]: (typeof DECISIONS)[K] extends Constant ? never : K
}[DecisionKey]

/** The decisions in force, by key. Durations are in milliseconds. */
export type Contract = { readonly [K in SwitchKey]: Value<(typeof DECISIONS)[K]> }

export const isDecisionKey = (key: string): key is DecisionKey => Object.hasOwn(DECISIONS, key)
