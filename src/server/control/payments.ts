import { FailureReason, MethodChoice } from '../../contract/control/requests.ts'
import { PAYMENT_TRIGGERS } from '../../contract/statuses.ts'
import type { Payment } from '../../domain/model.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { imagesLost, isDigest } from '../../engine/store/image-store.ts'
import { TooLateError } from '../../engine/time/real-time.ts'
import { WebhookHostError } from '../../engine/webhooks/webhook-hosts.ts'
import { carryOut } from '../carry-out.ts'
import { anyOf, pageOf, rowsFromOldest } from '../lists.ts'
import { choose, sendReceipt, unreadable } from '../payer.ts'
import { imageIn, readForm } from '../read-image.ts'
import { notFound, RefusalError, refuse, refuseProblems } from '../refusal.ts'
import {
  bodyReader,
  type ControlHandlers,
  type ControlSettings,
  failureIn,
  found,
  handlersOf,
  param,
} from './control-call.ts'
import { assetView, fullPayment, providerCallView } from './views.ts'

const readChoice = bodyReader<MethodChoice>(MethodChoice)
const readTrigger = bodyReader<FailureReason>(FailureReason, { optional: true })

export function paymentCalls({ visit }: ControlSettings) {
  return {
    'GET /accounts/:account/payments': async ({ runtime, request, answer }) => {
      const isWanted = anyOf(request, 'status')
      const view = (payment: Payment) => fullPayment(payment, runtime)
      const page = await pageOf(request, runtime.account.world.payments, view, ([status]) => isWanted(status))
      return answer(200, page)
    },

    'GET /accounts/:account/payments/:id': ({ runtime, request, answer }) => {
      return answer(200, viewOf(runtime, param(request, 'id')))
    },

    ...handlersOf(
      'POST /accounts/:account/payments/:id',
      PAYMENT_TRIGGERS,
      trigger =>
        async ({ runtime, request, answer }) => {
          const failure = failureIn(await readTrigger(request))
          const payment = param(request, 'id')
          const id = await carryOut(runtime, { type: 'MovePayment', payment, trigger, failure }, 'operator')
          return answer(200, viewOf(runtime, id))
        },
    ),

    'POST /accounts/:account/payments/:id/choose': async ({ runtime, request, answer }) => {
      const choice = new Map(Object.entries(await readChoice(request)))
      const payment = param(request, 'id')
      await choose(runtime, payment, field => choice.get(field))
      return answer(200, viewOf(runtime, payment))
    },
    'POST /accounts/:account/payments/:id/receipt': async ({ runtime, request, answer }) => {
      const form = await readForm(request.exchange).catch(error => Promise.reject(unreadable(error)))
      const payment = param(request, 'id')
      await sendReceipt(runtime, payment, form)
      return answer(200, viewOf(runtime, payment))
    },
    'POST /accounts/:account/payments/:id/return': async ({ runtime, request, answer }) => {
      const { account } = runtime
      const { returnUrl } = found('payment intent', account.world.payments.get(param(request, 'id')))
      if (returnUrl === null)
        throw refuse('invalid_state', 'The payment intent has no return_url, so the payer does not come back')
      const { status, location } = await visit(returnUrl).catch(error => {
        throw refuse('invalid_state', whyNotThere(error))
      })
      return answer(200, { status, location: location ?? null })
    },

    'GET /accounts/:account/provider-calls': async ({ runtime, answer }) =>
      answer(200, {
        data: await rowsFromOldest(runtime.account.world.providerCalls, providerCallView),
      }),

    'POST /accounts/:account/assets': async ({ runtime, request, answer }) => {
      const form = await readForm(request.exchange)
      const kind = form.fields.get('kind') ?? 'payment_receipt'
      if (kind !== 'payment_receipt' && kind !== 'other')
        throw refuseProblems([{ field: 'kind', message: 'must be one of payment_receipt, other' }])
      const received = imageIn(form)
      if ('problem' in received)
        throw refuseProblems([{ field: received.problem.field, message: received.problem.message }])
      const { chunks, size, digest, contentType } = received.image
      await runtime.images.put(digest, chunks)
      const id = await carryOut(
        runtime,
        {
          type: 'StoreAsset',
          kind,
          image: { digest, contentType, size },
        },
        'operator',
      )
      return answer(201, assetView(found('asset', runtime.account.world.assets.get(id))))
    },

    'GET /accounts/:account/assets': async ({ runtime, answer }) =>
      answer(200, {
        data: await rowsFromOldest(runtime.account.world.assets, assetView),
      }),

    'GET /accounts/:account/images/:digest': async ({ runtime, request, reply }) => {
      const digest = param(request, 'digest')
      if (!isDigest(digest)) throw notFound('image')
      const image = await runtime.images.get(digest)
      if (!image && (await isNamed(runtime, digest)))
        throw new RefusalError(imagesLost(runtime.account.id, [digest]))
      if (!image) throw notFound('image')
      return reply.header('content-type', image[0] === 0xff ? 'image/jpeg' : 'image/png').send(image)
    },
  } satisfies Partial<ControlHandlers>
}

/** Whether an entry names an image. All of them are read, because only a loss makes anybody ask. */
async function isNamed({ account }: AccountRuntime, digest: string): Promise<boolean> {
  for await (const line of account.journal.lines()) if (line.includes(digest)) return true
  return false
}

const viewOf = (runtime: AccountRuntime, id: string) =>
  fullPayment(found('payment intent', runtime.account.world.payments.get(id)), runtime)

/** The application may be wrong or not there, which is no fault of paysim. */
function whyNotThere(error: Error): string {
  if (error instanceof WebhookHostError) return `The return_url ${error.message}`
  if (error instanceof TooLateError) return `The return_url did not answer within ${error.limitMs / 1000} s`
  return `The return_url cannot be opened: ${error.message || ('code' in error ? error.code : error.name)}`
}
