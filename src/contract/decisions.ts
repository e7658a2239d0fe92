import { OPERATION_PATHS } from './paths.ts'

/**
 * What the interface document leaves open, answered once. Nothing else in the project may hard-code one of
 * these answers: the simulator behaves by it, the client tolerates every allowed value, the docs print it.
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
/** A word that stands for itself, which is the default, or a duration. */
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
    'Rotation without downtime needs two live pairs at a time.',
  ),
  'create.path': {
    kind: 'path',
    question: 'The path that creates a payment intent (by POST)',
    value: OPERATION_PATHS.createPayment.path,
    why: 'The collection that the retrieve path already names.',
  } as Path,
  'create.merchant_reference': choice(
    'Is merchant_reference required on create?',
    ['required', 'optional'],
    '1 to 256 code points and not unique, as the list filter has it: a merchant may retry an order.',
  ),
  'create.idempotency': choice(
    'Idempotency-Key on create',
    ['optional', 'off', 'required'],
    'Kept 24 hours; the fingerprint is the canonical JSON body, so member order and white space do not matter.',
  ),
  'fields.absent': choice(
    'A field that does not apply (receipt, processing_reason, failure_*)',
    ['null', 'omit'],
    'A field that is always there is easier to read. Sub-fields of display_qr_code are left out when not rendered.',
  ),
  'next_action.bank_transfer': constant(
    'Fields of the bank transfer instructions',
    '{type, bank:{code,label}, account:{name,number}, reference, expires_at}',
    'Structured bank, account and reference values are named, their members are not.',
  ),
  'next_action.qr_expiry': constant(
    'Expiry of a QR code',
    'not sent: expires_at is not listed for it; the action still expires and the intent then reads processing',
    'Only listed fields are sent.',
  ),
  'methods.category': constant(
    'All categories',
    'bank_redirect and bank_transfer; a QR transfer is a bank_transfer; the client takes any value',
    'Only these two are seen.',
  ),
  'methods.payer_keys': choice(
    'Which payer keys discovery lists',
    ['all', 'relevant'],
    'All six with their required flag, or those of the route alone.',
  ),
  'methods.banks_empty': choice(
    'options.banks of a method without a choice of bank',
    ['empty', 'omit'],
    'An empty array needs no special case in the caller.',
  ),
  'methods.hosted_actions': constant(
    'next_action_types in hosted mode',
    '["redirect_to_url"]',
    'A hosted intent always returns that type.',
  ),
  'methods.denied_mode': choice(
    'Discovery with a checkout mode that the Team policy denies',
    ['403', 'empty'],
    'The policy must allow the mode; 403 says so earlier than create would.',
  ),
  'errors.body': choice(
    'The shape of an error body',
    ['nested', 'flat', 'problem'],
    'nested: {"error":{code,message,details,request_id}}; flat: the same members at the top; problem: RFC 9457.',
  ),
  'errors.syntax': constant(
    'Malformed JSON, content types, bodies over the cap',
    '400 validation_failed; 415 unsupported_media_type (cancel-pending without Content-Type too; payout cancel without any body needs none); 413 payload_too_large',
    'The plain HTTP meanings.',
  ),
  'errors.unknown_method': choice(
    'A payment_method that the catalogue does not have',
    ['payment_configuration_unavailable', 'validation_failed'],
    'The set of methods is configuration, not schema.',
  ),
  'errors.amount_limits': choice(
    "An amount outside every route's limits, with a method or (hosted) without",
    ['routing_unavailable', 'payment_configuration_unavailable'],
    'Another amount would route: the configuration is there. The message names the limits.',
  ),
  'errors.country': constant(
    'A well-formed but unassigned ISO 3166 code',
    '400 validation_failed on create; an empty list in discovery',
    'Discovery answers with what there is.',
  ),
  'errors.idempotency_conflict': choice(
    'The status of idempotency_conflict',
    ['409', '422', '400'],
    'The request conflicts with one already served.',
  ),
  'errors.in_flight': constant(
    'The same key while the first request still runs',
    'wait and replay; 409 idempotency_in_progress after 5 s',
    'A retry that raced its first try gets the answer it came for.',
  ),
  'errors.codes': constant(
    'The closed list of codes',
    'the eight shown, plus unauthorized, method_not_allowed (405 with Allow), unsupported_media_type, payload_too_large, rate_limited, internal_error, service_unavailable, idempotency_in_progress',
    'Codes for what every HTTP service meets.',
  ),
  'errors.precedence': constant(
    'Which fault wins',
    '401 (also for two Authorization headers, whatever they hold), then syntax (415, 413, 400), 404, schema 400 (what the body alone shows), idempotent replay, 403, state 422, capability 422, unknown bank 400, configuration and routing 422, and last the 400 of fields that the chosen route requires',
    'A repeat with a key gets its answer whatever changed since; the route must be known before its fields are.',
  ),
  'strict.unknown_members': choice(
    'Unknown top-level members of a body',
    ['ignore', 'reject'],
    'Ignored as most services do, and named in the request log.',
  ),
  'strict.nulls': choice(
    'An explicit null where a string or an object is expected',
    ['reject', 'absent'],
    'null is not a string; absent treats it as if the member were not there.',
  ),
  'strict.options': constant(
    'An unknown key or value in payment_method_options',
    "an unknown key is 400 validation_failed; a known key that the route does not need is accepted; bank must be one of the method's codes, so with a method that lists no banks any bank is 400",
    'The four keys are a closed list, and so are the banks of a method; which keys a route needs is not.',
  ),
  'customer.formats': constant(
    'Formats of customer fields',
    'non-empty strings of at most 256, not only of blanks; email needs one @; {} is fine where the route needs nothing; extras ignored',
    'Names and phones come in every form.',
  ),
  'return_url.rules': constant(
    'What a return_url may be',
    'absolute http or https, at most 2048; kept and rendered byte for byte; javascript:, data: and others refused',
    'It becomes a link on a page.',
  ),
  'payment.transitions': constant(
    'Payment transitions not shown',
    'pending and processing alternate with the next action; both go to succeeded, failed, expired; terminal is final',
    'The least that makes the stated rules hold.',
  ),
  'payment.action_expiry': constant(
    'The action expires before an outcome',
    "the intent reads processing with next_action null, in both modes; but an action never expires while a cancellation or a receipt's verification is in flight, nor while a rejected receipt awaits its replacement; when that ends without ending the payment, an expiry that is overdue happens then; the intent's own expiry is never held back",
    'A pending intent with no current next_action is returned as processing; during a cancellation, a verification and after a rejected receipt the payment is stated to stay pending.',
  ),
  'payment.expiry': {
    kind: 'duration',
    question: 'When the whole intent expires',
    value: '72h',
    why: 'Counted from its creation, unless its rule says expiry otherwise: long enough for a bank transfer over a weekend.',
  } as Duration,
  'payment.after_cancel': choice(
    'The status once a cancellation is confirmed',
    ['failed', 'expired'],
    'There is no cancelled status: failed with failure_code payment_cancelled; the event is payment.cancelled either way.',
  ),
  'payment.method_after_choice': choice(
    'payment_method once the payer chose on the hosted page',
    ['code', 'keep_null'],
    'The choice is a fact worth reporting.',
  ),
  'payment.processing_reason': constant(
    'Other values of processing_reason',
    'only asynchronous, while the status is processing; else null',
    'It is the one value seen.',
  ),
  'cancel.no_route': choice(
    'cancel-pending on a hosted intent with no method chosen',
    ['refuse', 'cancel'],
    'There is no frozen route to support it (422 provider_capability_unsupported); cancel answers 202 and settles locally.',
  ),
  'cancel.during_receipt': choice(
    'cancel-pending while a receipt is verified',
    ['allow', 'refuse'],
    'The intent is still pending.',
  ),
  'cancel.repeat': constant(
    'A second cancel-pending while one is in flight',
    '202 again, one provider call',
    'Asking twice for the same thing is safe.',
  ),
  'idempotency.keys': constant(
    'Key format, scope, what is stored',
    '1 to 255 printable ASCII, non-UUID accepted; scope = merchant, environment, method and full path with the id; stored after validation passed; ends at 24 h; ignored on the JSON receipt; replay = the stored status and body, plus Idempotent-Replayed: true; a kept answer is replayed whatever became of catalogue, policy, health or state since',
    "Scoped by path, or one intent's answer would be replayed for another with the same image.",
  ),
  'idempotency.refusals': choice(
    'Whether a 422 uses its key up',
    ['keep', 'forget'],
    'keep: it is an answer like any other, and replayed; forget: only successes are kept, so a call refused for an outage can be repeated with its key. Under both only successes and 422 are ever kept; no 400, 401, 403, 404, 409, 415 or 5xx.',
  ),
  'receipt.refusals': constant(
    'A receipt refused',
    'not pending, or a different receipt in progress: 422 invalid_state; the intent takes no receipt: 422 provider_capability_unsupported',
    'The codes that cancel-pending uses for the same two reasons.',
  ),
  'receipt.asset_errors': constant(
    'An asset of the wrong kind; attached elsewhere; unknown or foreign',
    '400 validation_failed; 422 invalid_state; 404 not_found',
    'A foreign asset must look like one that never existed.',
  ),
  'receipt.same_again': constant(
    'The same asset or image again',
    "after a rejection: a new attempt; while processing or submitted: success with the current intent and no second submission, whatever the payment's status is by then",
    'Repeating the request is stated to be safe, and the first answer may have been lost.',
  ),
  'receipt.after_end': constant(
    'A verification in flight when the payment ends',
    'it goes on: the receipt becomes submitted or rejected as the provider says, the payment stays as it ended',
    'The image is with the provider, and what it says of it is still true.',
  ),
  'receipt.file_faults': choice(
    'Image too large, of the wrong type, missing, or two of them',
    ['400', '413/415'],
    '400 validation_failed for each; 413 only above an 8 MiB body; the signature decides, not the declared type or the name.',
  ),
  'status.receipt': choice(
    'Success code of a receipt',
    ['200', '202'],
    'The plain success, where none is shown.',
  ),
  'status.payout_cancel': choice(
    'Success code of a payout cancel',
    ['200', '202'],
    'The plain success, where none is shown.',
  ),
  'list.faults': constant(
    'Bad list parameters and cursors',
    '400 validation_failed, never clamped, never page one again; strict RFC 3339 with Z or ±hh:mm; after > before gives an empty page; unknown names ignored; a repeated single-valued name is 400 (discovery too); status takes commas and repeats',
    'A silent repair hides the bug.',
  ),
  'list.last_cursor': choice('next_cursor on the last page', ['null', 'omit', 'empty'], 'null says none.'),
  'payout.states': constant(
    'Payout states and moves',
    'requires_approval to processing or cancelled; processing to succeeded or failed; names as spelled here',
    'The named states and the ends they need.',
  ),
  'payout.errors': constant(
    'Errors of the payout operations',
    '404 not_found; 422 invalid_state; 400 validation_failed; a second cancel is 422',
    'The same codes as for payments.',
  ),
  'payout.recipient': constant(
    'account_last4 of a recipient',
    'the last four digits of the account number, its separators ignored; an account number is 4 to 34 of digits, letters, spaces and hyphens with at least four digits',
    'Last four digits are stated; account numbers are written in groups, and an IBAN has letters.',
  ),
  'payout.admin': constant(
    'Creating, retrieving and approving payouts',
    'not on the merchant API but on the control surface; a path that no operation has is 404 not_found; a path that one has, by another method, is 405 with Allow (so POST /payout_intents is 405, GET /payout_intents/{id} 404)',
    'No such endpoint is shown.',
  ),
  'events.names': constant(
    'Event names',
    'payment.succeeded, payment.failed, payment.expired, payment.cancelled, payout.succeeded, payout.failed, payout.cancelled; off by default: payment.created, payment.updated, payout.updated',
    'payment.cancelled is shown; the others follow it.',
  ),
  'events.payload': constant(
    'Event payload',
    '{id, type, timestamp, environment, data: <the full object>}; a payout adds data.cancel_reason when one was given',
    'The object as a GET would give it.',
  ),
  'events.signing': constant(
    'Signing',
    'Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature: v1,<base64 HMAC-SHA256 of id.timestamp.body>, secret whsec_…; several signatures while a secret rotates',
    'A public standard with verifiers in every language.',
  ),
  'events.retry': {
    kind: 'durations',
    question: 'The gap before each delivery attempt',
    value: ['0s', '5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'],
    why: "On the account's clock (75 h 35 min 5 s in all); 2xx succeeds, 3xx fails, 410 disables, Retry-After honoured, 15 s time-out (an advance waits at most 15 s of wall time for receivers in all; attempts still open then count as timed out); same id and fresh timestamp at each attempt.",
  } as Durations,
  'limits.rate': constant(
    'Rate limits',
    'none; a fault rule can answer 429 with Retry-After',
    'None are shown.',
  ),
  'limits.version': constant('Versioning', 'none', 'None is shown.'),
  headers: constant(
    'Request id and caching',
    'Request-Id: req_… on every answer, also 401; Cache-Control: no-store',
    'An answer about money must be findable and must not be cached.',
  ),
  ids: constant(
    'Id and time format',
    'pi_, po_, evt_, ast_ + 24 base62; RFC 3339 UTC with milliseconds and Z',
    'Prefixed ids explain themselves in a log.',
  ),
  'route.frozen': constant(
    'A frozen route that later becomes unhealthy',
    'stays frozen; cancel and receipt support are those at creation',
    'Frozen means frozen.',
  ),
  'hosted.page': {
    kind: 'word or duration',
    question: 'How long a hosted page is open',
    value: 'intent',
    why: "An HMAC-signed URL. intent: it lives as long as the intent is open, and next_action.expires_at is the intent's expiry; the URL keeps its bytes for life, and a rule's expiry or expires_after moves only expires_at. A duration counts from creation: then the action expires, by the rule of payment.action_expiry. The terminal page links return_url as given, by GET, nothing appended; once the intent has ended its URL shows how.",
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
