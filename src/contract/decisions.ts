import { OPERATION_PATHS } from './paths.ts'

/**
 * The answers to what the interface document leaves open. No other file may repeat one of them: the simulator follows
 * them, the client accepts every allowed value, and the docs print them.
 */
interface Described {
  readonly question: string
  readonly why: string
  /** Why no merchant's request shows the answer of a server; missing if `paysim probe` can find it out. */
  readonly unobservable?: string
  /** Why only a person can show it, whom `paysim probe --ask` asks. */
  readonly person?: string
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
  more: Pick<Described, 'unobservable' | 'person'> = {},
): Choice<V> {
  return { kind: 'choice', question, values, why, ...more }
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
    'A key is kept for 24 hours. The fingerprint of a request is its canonical JSON body, so the order of members and white space do not matter.',
  ),
  'fields.absent': choice(
    'A field that does not apply (receipt, processing_reason, failure_*)',
    ['null', 'omit'],
    'A field that is always present is easier to read. In display_qr_code, a form of the code that is not rendered is left out.',
  ),
  'next_action.bank_transfer': constant(
    'Fields of the bank transfer instructions',
    '{type, bank:{code,label}, account:{name,number}, reference, expires_at}',
    'The document names structured bank, account and reference values, but not their members.',
  ),
  'next_action.qr_expiry': constant(
    'Expiry of a QR code',
    'not sent, because expires_at is not listed for it; the action still expires, and then the status of the intent is processing',
    'The server sends only fields that the document lists.',
  ),
  'methods.category': constant(
    'The categories of methods',
    'bank_redirect and bank_transfer; a QR transfer is a bank_transfer; the client accepts any value',
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
    'Malformed JSON, a wrong content type, a body that is too large',
    '400 validation_failed; 415 unsupported_media_type (also for cancel-pending without Content-Type; a payout cancel without a body needs none); 413 payload_too_large',
    'These codes have their usual HTTP meaning.',
  ),
  'errors.unknown_method': choice(
    'A payment_method that the catalogue does not have',
    ['payment_configuration_unavailable', 'validation_failed'],
    'The set of methods is configuration, not part of the schema.',
  ),
  'errors.amount_limits': choice(
    'An amount outside the limits of every route, with a method or, in hosted mode, without one',
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
    'A second request with the same key while the first one is still in progress',
    'it waits and gets the stored answer; after 5 s, it gets 409 idempotency_in_progress',
    'A retry that arrives before the first request has finished still gets the right answer.',
  ),
  'errors.codes': constant(
    'The closed list of codes',
    'the eight shown, plus unauthorized, method_not_allowed (405 with Allow), unsupported_media_type, payload_too_large, rate_limited, internal_error, service_unavailable, idempotency_in_progress',
    'Every HTTP service needs codes for these cases.',
  ),
  'errors.precedence': constant(
    'Which error is returned if several apply',
    'the first of: 401 (also for two Authorization headers, even if both are valid); 415, 413 and 400 for syntax; 404; 400 for what the body alone shows to be wrong; the replay of a stored answer; 403; 422 for the state; 422 for a missing capability; 400 for an unknown bank; 422 for configuration and routing; 400 for a missing field that the chosen route requires',
    'A request that is repeated with its key gets the stored answer, even if something has changed since. The fields that a route requires are known only after the route is chosen.',
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
    'strings of 1 to 256 characters, not all of them blank; an email address contains one @; {} is allowed if the route requires no field; unknown members are ignored',
    'Names and phone numbers have many formats.',
  ),
  'return_url.rules': constant(
    'What a return_url may be',
    'an absolute http or https URL of at most 2048 characters; it is stored and shown unchanged, byte for byte; other schemes, such as javascript: and data:, are refused',
    'The hosted page shows it as a link.',
  ),
  'payment.transitions': constant(
    'Payment transitions not shown',
    'pending with a next action, processing without one; from both to succeeded, failed or expired, which are final',
    'These are the fewest transitions that satisfy the stated rules.',
  ),
  'payment.action_expiry': constant(
    'An action that expires before the payment ends',
    'in both modes, the status becomes processing and next_action becomes null; an action does not expire while the provider answers a cancellation or verifies a receipt, or while a rejected receipt waits for a replacement; if the payment has not ended after that, an overdue action expires at once; the expiry of the intent itself is never delayed',
    'The document says that a pending intent without a current next_action is returned as processing, and that a payment stays pending during a cancellation, during a verification and after a rejected receipt.',
  ),
  'payment.expiry': {
    kind: 'duration',
    question: 'When the whole intent expires',
    value: '72h',
    why: "Counted from its creation, unless the intent's rule sets another expiry. 72h is long enough for a bank transfer over a weekend.",
    unobservable:
      'No answer has the expiry of an intent: next_action.expires_at is that of the action, which may end earlier.',
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
    { person: 'Only a person can choose a method on the hosted page of another gateway.' },
  ),
  'payment.processing_reason': constant(
    'Other values of processing_reason',
    'none; it is asynchronous while the status is processing, and null otherwise',
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
    '202 again; the provider is called only once',
    'A repeated request must be safe.',
  ),
  'idempotency.keys': constant(
    'The format and the scope of a key, and what is stored with it',
    '1 to 255 printable ASCII characters, not necessarily a UUID; the scope is the merchant, the environment, the method and the full path with the id; an answer is stored only for a request that passed validation, and it is kept for 24 h; a receipt sent as JSON ignores the key; a replay is the stored status and body, with Idempotent-Replayed: true, even if the catalogue, the policy, the health of a provider or the state has changed since',
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
    'after a rejection: a new submission; while the receipt is processing or submitted: success with the current intent and no second submission, even if the payment has ended since',
    'The document says that repeating the request is safe, and the first answer may have been lost.',
  ),
  'receipt.after_end': constant(
    'A verification in flight when the payment ends',
    'it continues: the receipt becomes submitted or rejected, as the provider decides, and the payment keeps its final status',
    'The provider already has the image, and its verdict is still true.',
  ),
  'receipt.file_faults': choice(
    'An image that is too large, of the wrong type or missing, or two images',
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
    {
      unobservable:
        'Merchants cannot create payouts through the API, and a probe cancels no payout that it did not make.',
    },
  ),
  'list.faults': constant(
    'Bad list parameters and cursors',
    '400 validation_failed; a value is never adjusted to fit, and a bad cursor never returns the first page; times are strict RFC 3339 with Z or ±hh:mm; if created_after is later than created_before, the page is empty; unknown names are ignored; a name that takes one value and is repeated is 400 (also in discovery); status may have commas and may be repeated',
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
    'the last four digits of the account number, without separators; an account number has 4 to 34 digits, letters, spaces and hyphens, and at least four of them are digits',
    'The document says last four digits. Account numbers are often written in groups, and an IBAN has letters.',
  ),
  'payout.admin': constant(
    'Creating, retrieving and approving payouts',
    'on the control surface, not on the merchant API; a path that no operation has is 404 not_found; a path that an operation has with another method is 405 with Allow (so POST /payout_intents is 405, and GET /payout_intents/{id} is 404)',
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
    'How events are signed',
    'by Standard Webhooks: the headers webhook-id, webhook-timestamp and webhook-signature, which is v1,<base64 HMAC-SHA256 of id.timestamp.body>; a secret begins with whsec_; while a secret is being rotated, there are several signatures',
    'This is a public standard, and libraries in many languages verify its signatures.',
  ),
  'events.retry': {
    kind: 'durations',
    question: 'The gap before each delivery attempt',
    value: ['0s', '5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'],
    why: "On the account's clock (75 h 35 min 5 s in total). 2xx succeeds, 3xx fails, 410 disables the endpoint, Retry-After is honoured. An attempt times out after 15 s (an advance waits at most 15 s of wall time for all receivers; attempts that are still open then count as timed out). Each attempt has the same id and a new timestamp.",
    unobservable: 'Only the receiver of webhooks sees attempts, and the last ones come days later.',
  } as Durations,
  'limits.rate': constant(
    'Rate limits',
    'none; a fault rule can answer 429 with Retry-After',
    'The document shows none.',
  ),
  'limits.version': constant('Versioning', 'none', 'The document shows none.'),
  headers: constant(
    'Request id and caching',
    'every answer, even 401, has Request-Id: req_… and Cache-Control: no-store',
    'Support must be able to find every answer about money, and caches must not store it.',
  ),
  ids: constant(
    'Id and time format',
    'pi_, po_, evt_, ast_ + 24 base62; RFC 3339 UTC with milliseconds and Z',
    'In a log, the prefix shows what an id refers to.',
  ),
  'route.frozen': constant(
    'A frozen route that later becomes unhealthy',
    'it stays frozen, with the support for cancellation and receipts that it had when it was chosen',
    'A payment that has started must keep its provider.',
  ),
  'hosted.page': {
    kind: 'word or duration',
    question: 'How long a hosted page is open',
    value: 'intent',
    why: "The page has an HMAC-signed URL, which never changes. intent: the page is open as long as the intent, and next_action.expires_at is the intent's expiry; expiry and expires_after of a rule change only expires_at. A duration: the page is open that long after the creation; then the action expires, as payment.action_expiry says. The last page has a link to return_url, with nothing appended, which the browser opens by GET. After the end of the intent, the page shows how it ended.",
    unobservable:
      'next_action.expires_at of a hosted intent may be the end of the page or that of the intent, and only waiting would tell.',
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
