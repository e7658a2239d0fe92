import { TriggerBody } from '../../contract/control/requests.ts'
import { PAYMENT_TRIGGERS } from '../../domain/lifecycle.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { imageIn, readForm } from '../read-image.ts'
import { notFound, refuseProblems } from '../refusal.ts'
import { bodyReader, param, runtimeNamed, send } from './control-call.ts'
import { pageOf } from './paging.ts'
import type { ControlSettings } from './settings.ts'
import { assetView, fullPayment, providerCallView } from './views.ts'

const readTrigger = bodyReader<TriggerBody>(TriggerBody, { optional: true })

export function paymentCalls(scope: Routes, { gateway }: ControlSettings): void {
  scope.get('/accounts/:account/payments', (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const { world } = runtime.account
    return send(
      reply,
      200,
      pageOf(request, world.paymentList, id => {
        const payment = world.payments.get(id)
        return payment && fullPayment(payment, runtime)
      }),
    )
  })

  scope.get('/accounts/:account/payments/:id', (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const payment = runtime.account.world.payments.get(param(request, 'id'))
    if (!payment) throw notFound('payment intent')
    return send(reply, 200, fullPayment(payment, runtime))
  })

  for (const trigger of PAYMENT_TRIGGERS) {
    scope.post(`/accounts/:account/payments/:id/${trigger}`, async (request, reply) => {
      const runtime = runtimeNamed(gateway, request)
      const { failure_code: code, failure_message: message } = await readTrigger(request)
      const failure = {
        ...(code === undefined ? {} : { code }),
        ...(message === undefined ? {} : { message }),
      }
      const payment = param(request, 'id')
      const id = await carryOut(runtime, { type: 'MovePayment', payment, trigger, failure }, 'operator')
      const moved = runtime.account.world.payments.get(id)
      return send(reply, 200, moved && fullPayment(moved, runtime))
    })
  }

  scope.get('/accounts/:account/provider-calls', (request, reply) =>
    send(reply, 200, {
      data: runtimeNamed(gateway, request).account.world.providerCalls.map(providerCallView),
    }),
  )

  scope.post('/accounts/:account/assets', async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const form = await readForm(request.raw)
    const kind = form.fields.get('kind') ?? 'payment_receipt'
    if (kind !== 'payment_receipt' && kind !== 'other')
      throw refuseProblems([{ field: 'kind', message: 'must be one of payment_receipt, other' }])
    const received = imageIn(form)
    if ('problem' in received)
      throw refuseProblems([{ field: received.problem.field, message: received.problem.message }])
    const { bytes, digest, contentType } = received.image
    await runtime.images.put(digest, bytes)
    const id = await carryOut(
      runtime,
      {
        type: 'StoreAsset',
        kind,
        image: { digest, contentType, size: bytes.length },
      },
      'operator',
    )
    const asset = runtime.account.world.assets.get(id)
    return send(reply, 201, asset && assetView(asset))
  })

  scope.get('/accounts/:account/assets', (request, reply) =>
    send(reply, 200, {
      data: [...runtimeNamed(gateway, request).account.world.assets.values()].map(assetView),
    }),
  )

  scope.get('/accounts/:account/images/:digest', async (request, reply) => {
    const digest = param(request, 'digest')
    const image = /^[0-9a-f]{64}$/.test(digest)
      ? await runtimeNamed(gateway, request).images.get(digest)
      : undefined
    if (!image) throw notFound('image')
    return reply.header('content-type', image[0] === 0xff ? 'image/jpeg' : 'image/png').send(image)
  })
}
