import type { Contract } from '../../contract/decisions.ts'
import { AssetReceiptBody } from '../../contract/requests.ts'
import { validator } from '../../contract/validation.ts'
import { demandAvailable } from '../carry-out.ts'
import { isJson, isMultipart, readJson, unsupportedType } from '../read-body.ts'
import { type ImageProblem, imageIn, readForm } from '../read-image.ts'
import { demandNoProblems, notFound, type RefusalError, refuse, refuseProblems } from '../refusal.ts'
import { runtimeOf } from '../send-json.ts'
import { answerPayment } from './answer.ts'
import { readNulls, unknownMembers } from './body-members.ts'
import { type Call, type Handler, idIn } from './handler.ts'
import { idempotency, readKey } from './idempotency-key.ts'

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
  const body = readNulls(contract, await readJson(request.carrier))
  const payment = paymentIn(call)
  demandNoProblems([...checkAssetBody(body), ...unknownMembers(contract, request, body, AssetReceiptBody)])
  const { asset_id: asset } = body as AssetReceiptBody
  return answerPayment(call, { type: 'SubmitReceipt', payment, image: { asset } })
}

const submitImage: Handler = async call => {
  const { request, contract } = call
  const form = await readForm(request.carrier)
  const payment = paymentIn(call)
  const { key, problems } = readKey(request, { required: true })
  const received = imageIn(form)
  if ('problem' in received) throw fileRefusal(contract, received.problem, problems)
  demandNoProblems(problems)
  const { pieces, size, digest, contentType } = received.image
  const runtime = runtimeOf(request)
  await demandAvailable(runtime)
  // The image is on disk before an entry names it.
  await runtime.images.put(digest, pieces)
  return answerPayment(call, {
    type: 'SubmitReceipt',
    payment,
    image: { upload: { digest, contentType, size } },
    idempotency: idempotency(request, key, () => digest),
  })
}

function paymentIn({ request }: Call): string {
  const payment = idIn(request)
  if (!runtimeOf(request).account.world.payments.has(payment)) throw notFound('payment intent')
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
