import { hash } from 'node:crypto'
import { isCountry } from '../../contract/currencies.ts'
import type { Contract } from '../../contract/decisions.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { canonicalJson } from '../../contract/json.ts'
import {
  AssetReceiptBody,
  type CreatePaymentRequest,
  createPaymentBody,
  DiscoveryQuery,
} from '../../contract/requests.ts'
import { PAYER_FIELDS } from '../../contract/resources.ts'
import type { CheckoutMode } from '../../contract/statuses.ts'
import { validator } from '../../contract/validation.ts'
import { deniedMode } from '../../domain/decide/create-payment.ts'
import { type EligibleMethod, eligibleMethods, routingTable } from '../../domain/routing.ts'
import { demandAvailable } from '../carry-out.ts'
import {
  isJson,
  isMultipart,
  type JsonObject,
  readJson,
  readOptionalJson,
  unsupportedType,
} from '../http/read-body.ts'
import { sendJson } from '../http/reply.ts'
import { type ImageProblem, imageIn, readForm } from '../read-image.ts'
import { demandNoProblems, notFound, type RefusalError, refuse, refuseProblems } from '../refusal.ts'
import {
  answerPayment,
  type Call,
  type Handler,
  idempotency,
  idIn,
  readKey,
  readNulls,
  unknownMembers,
} from './answer.ts'

export const createPayment: Handler = async call => {
  const { request, contract } = call
  const body = await readJson(request.exchange)
  const mode = contract['create.idempotency']
  const { key, problems: keyProblems } =
    mode === 'off' ? { key: undefined, problems: [] } : readKey(request, { required: mode === 'required' })
  const given = readNulls(contract, body)
  const schema = createPaymentBody(contract)
  demandNoProblems([
    ...keyProblems,
    ...validator(schema)(given),
    ...unknownMembers(contract, request, given, schema),
    ...crossProblems(given),
  ])
  return answerPayment(call, {
    type: 'CreatePayment',
    request: given as CreatePaymentRequest,
    idempotency: idempotency(request, key, () => fingerprintOf(body)),
  })
}

/** The same for all texts of JSON that mean the same. */
export const fingerprintOf = (body: unknown) => hash('sha256', canonicalJson(body), 'base64url')

/** The rules between fields, and others that the schema cannot express. */
function crossProblems(body: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { checkout_mode, payment_method, payment_method_options, return_url, country } = body
  if (checkout_mode === 'merchant' && payment_method === undefined)
    problems.push({ field: 'payment_method', message: 'is required in merchant mode' })
  if (payment_method_options !== undefined && payment_method === undefined)
    problems.push({ field: 'payment_method_options', message: 'is allowed only with payment_method' })
  if (checkout_mode === 'merchant' && return_url !== undefined)
    problems.push({ field: 'return_url', message: 'is allowed only in hosted mode' })
  else if (typeof return_url === 'string' && !isWebAddress(return_url))
    problems.push({ field: 'return_url', message: 'must be an absolute http or https URL' })
  if (typeof country === 'string' && /^[A-Z]{2}$/.test(country) && !isCountry(country))
    problems.push({ field: 'country', message: `is not an assigned ISO 3166-1 code: ${country}` })
  return problems
}

function isWebAddress(text: string): boolean {
  // The URL parser corrects mistakes as a browser does, but the stored text must be valid itself.
  return /^https?:\/\/[^\s/?#\\]/i.test(text) && !hasControlOrSpace(text) && URL.canParse(text)
}

const hasControlOrSpace = (text: string) => /[\s\p{Cc}]/u.test(text)

/** Fast, because clients poll it: a look-up and a cached text. */
export const getPayment: Handler = ({ request, reply, runtime, operation }) => {
  const payment = runtime.account.world.payments.get(idIn(request))
  if (!payment) throw notFound('payment intent')
  const { status } = operation.success
  const send = () => sendJson(reply, status, runtime.rendering.payment(payment))
  return runtime.account.journal.durable(payment.seq)?.then(send) ?? send()
}

export const cancelPayment: Handler = async call => {
  const { request, contract } = call
  const body = await readOptionalJson(request.exchange, { bare: false })
  const payment = paymentIn(call)
  const { key, problems } = readKey(request, { required: false })
  demandNoProblems([...problems, ...unknownMembers(contract, request, body, undefined)])
  // No body is required, so it is not part of the key's fingerprint.
  return answerPayment(call, {
    type: 'RequestCancel',
    payment,
    idempotency: idempotency(request, key, () => 'cancel'),
  })
}

/** Two variants: an existing asset, or the image itself. */
export const submitReceipt: Handler = call => {
  const type = call.request.headers['content-type']
  if (isJson(type)) return submitAsset(call)
  if (isMultipart(type)) return submitImage(call)
  throw unsupportedType('application/json or multipart/form-data')
}

const checkAssetBody = validator(AssetReceiptBody)

const submitAsset: Handler = async call => {
  const { request, contract } = call
  const body = readNulls(contract, await readJson(request.exchange))
  const payment = paymentIn(call)
  demandNoProblems([...checkAssetBody(body), ...unknownMembers(contract, request, body, AssetReceiptBody)])
  const { asset_id: asset } = body as AssetReceiptBody
  return answerPayment(call, { type: 'SubmitReceipt', payment, image: { asset } })
}

const submitImage: Handler = async call => {
  const { request, contract, runtime } = call
  const form = await readForm(request.exchange)
  const payment = paymentIn(call)
  const { key, problems } = readKey(request, { required: true })
  const received = imageIn(form)
  if ('problem' in received) throw fileRefusal(contract, received.problem, problems)
  demandNoProblems(problems)
  const { chunks, size, digest, contentType } = received.image
  await demandAvailable(runtime)
  // The image is on disk before an entry names it.
  await runtime.images.put(digest, chunks)
  return answerPayment(call, {
    type: 'SubmitReceipt',
    payment,
    image: { upload: { digest, contentType, size } },
    idempotency: idempotency(request, key, () => digest),
  })
}

function paymentIn({ request, runtime }: Call): string {
  const payment = idIn(request)
  if (!runtime.account.world.payments.has(payment)) throw notFound('payment intent')
  return payment
}

function fileRefusal(
  contract: Contract,
  { kind, field, message }: ImageProblem,
  others: Parameters<typeof refuseProblems>[0],
): RefusalError {
  const own = { field, message }
  if (contract['receipt.file_faults'] === '413/415') {
    if (kind === 'too_large') return refuse('payload_too_large', `${field} ${message}`, [own])
    if (kind === 'wrong_type') return refuse('unsupported_media_type', `${field} ${message}`, [own])
  }
  return refuseProblems([...others, own])
}

const checkQuery = validator(DiscoveryQuery)

export const listPaymentMethods: Handler = ({ request, reply, runtime, operation, contract }) => {
  demandNoProblems(checkQuery(request.query))
  const {
    amount,
    country,
    currency,
    provider,
    checkout_mode: mode = 'hosted',
  } = request.query as DiscoveryQuery
  const { environment, world } = runtime.account
  const allowed = runtime.checkoutModes().includes(mode)
  if (!allowed && contract['methods.denied_mode'] === '403') throw refuse(...deniedMode(mode))
  const wanted = { amount, country, currency, provider, checkoutMode: mode, environment }
  const eligible = allowed ? eligibleMethods(routingTable(world, runtime), wanted) : []
  const methods = eligible.map(method => methodView(method, mode, contract))
  return sendJson(
    reply,
    operation.success.status,
    JSON.stringify({ country, currency, environment, methods }),
  )
}

function methodView(
  { method, banks, required, named, actions }: EligibleMethod,
  mode: CheckoutMode,
  contract: Contract,
) {
  const everyKey = contract['methods.payer_keys'] === 'all'
  const keys = PAYER_FIELDS.filter(field => everyKey || named.has(field))
  return {
    category: method.category,
    code: method.code,
    label: method.label,
    next_action_types: mode === 'hosted' ? ['redirect_to_url'] : actions,
    options: {
      ...(banks.length === 0 && contract['methods.banks_empty'] === 'omit' ? {} : { banks }),
      payer: Object.fromEntries(keys.map(field => [field, { required: required.has(field) }])),
    },
  }
}
