import { FailureReason } from '../../contract/control/requests.ts'
import { PAYMENT_TRIGGERS } from '../../contract/statuses.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { imagesLost, isDigest } from '../../engine/image-store.ts'
import { carryOut } from '../carry-out.ts'
import { imageIn, readForm } from '../read-image.ts'
import { notFound, RefusalError, refuseProblems } from '../refusal.ts'
import {
  bodyReader,
  type ControlHandlers,
  failureIn,
  found,
  handlersOf,
  param,
  runtimeNamed,
} from './control-call.ts'
import { pageOf } from './paging.ts'
import type { ControlSettings } from './settings.ts'
import { assetView, fullPayment, providerCallView } from './views.ts'

const readTrigger = bodyReader<FailureReason>(FailureReason, { optional: true })

export function paymentCalls({ gateway }: ControlSettings) {
  return {
    'GET /accounts/:account/payments': (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      return answer(
        200,
        pageOf(request, runtime.account.world.payments, payment => fullPayment(payment, runtime)),
      )
    },

    'GET /accounts/:account/payments/:id': (request, answer) => {
      return answer(200, viewOf(runtimeNamed(gateway, request), param(request, 'id')))
    },

    ...handlersOf(
      'POST /accounts/:account/payments/:id',
      PAYMENT_TRIGGERS,
      trigger => async (request, answer) => {
        const runtime = runtimeNamed(gateway, request)
        const failure = failureIn(await readTrigger(request))
        const payment = param(request, 'id')
        const id = await carryOut(runtime, { type: 'MovePayment', payment, trigger, failure }, 'operator')
        return answer(200, viewOf(runtime, id))
      },
    ),

    'GET /accounts/:account/provider-calls': (request, answer) =>
      answer(200, {
        data: [...runtimeNamed(gateway, request).account.world.providerCalls.values()].map(providerCallView),
      }),

    'POST /accounts/:account/assets': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const form = await readForm(request.carrier)
      const kind = form.fields.get('kind') ?? 'payment_receipt'
      if (kind !== 'payment_receipt' && kind !== 'other')
        throw refuseProblems([{ field: 'kind', message: 'must be one of payment_receipt, other' }])
      const received = imageIn(form)
      if ('problem' in received)
        throw refuseProblems([{ field: received.problem.field, message: received.problem.message }])
      const { pieces, size, digest, contentType } = received.image
      await runtime.images.put(digest, pieces)
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

    'GET /accounts/:account/assets': (request, answer) =>
      answer(200, {
        data: [...runtimeNamed(gateway, request).account.world.assets.values()].map(assetView),
      }),

    'GET /accounts/:account/images/:digest': async (request, _, reply) => {
      const digest = param(request, 'digest')
      if (!isDigest(digest)) throw notFound('image')
      const runtime = runtimeNamed(gateway, request)
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
