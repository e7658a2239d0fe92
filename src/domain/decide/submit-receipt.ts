import { later } from '../../contract/timestamps.ts'
import type { CommandOf, ReceiptSource } from '../commands.ts'
import type { DomainEvent } from '../events.ts'
import { allows, RECEIPT_MOVES } from '../lifecycle.ts'
import { type Payment, type Receipt, statusOf } from '../model.ts'
import { verdictFor } from '../script.ts'
import { moveLater } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, notFound, once, refuse } from './decision.ts'
import { emit } from './emit.ts'

export function submitReceipt(world: World, command: CommandOf<'SubmitReceipt'>, context: Context): Decision {
  const payment = world.payments.get(command.payment)
  if (!payment) return notFound('payment intent')
  const image = findImage(world, command.image)
  if ('refused' in image) return image
  return once(world, context, command.idempotency, 'payment', () => submit(world, payment, image, context))
}

interface ReceiptImage {
  readonly digest: string
  readonly asset: string | null
  readonly attachedTo: string | null
}

function findImage(
  world: World,
  source: ReceiptSource,
): ReceiptImage | Extract<Decision, { refused: unknown }> {
  if ('upload' in source) return { digest: source.upload.digest, asset: null, attachedTo: null }
  const asset = world.assets.get(source.asset)
  if (!asset) return { refused: { code: 'not_found', message: 'No such asset' } }
  if (asset.kind !== 'payment_receipt') {
    const message = `must name an asset of kind payment_receipt; this one is of kind ${asset.kind}`
    return {
      refused: {
        code: 'validation_failed',
        message: `asset_id ${message}`,
        details: [{ field: 'asset_id', message }],
      },
    }
  }
  return { digest: asset.digest, asset: asset.id, attachedTo: asset.paymentId }
}

function submit(world: World, payment: Payment, image: ReceiptImage, context: Context): Decision {
  const { id } = payment.sortKey
  const { receipt } = payment
  const isElsewhere = image.attachedTo !== null && image.attachedTo !== id
  const isTaken = receipt !== null && !allows(RECEIPT_MOVES.submit, receipt.status)
  // Allowed in any state of the payment, because the caller may have missed the answer.
  if (isTaken && !isElsewhere && isSame(receipt, image)) return happens(id, [])
  const status = statusOf(payment)
  if (status !== 'pending')
    return refuse('invalid_state', `Only a pending payment intent takes a receipt; this one is ${status}`)
  if (!receipt) return refuse('provider_capability_unsupported', 'This payment intent takes no receipt')
  if (isElsewhere) return refuse('invalid_state', 'The asset is attached to another payment intent')
  if (isTaken)
    return refuse(
      'invalid_state',
      `A different receipt is ${receipt.status}: it can be replaced only after a rejection`,
    )
  return happens(id, [
    { type: 'ReceiptSubmitted', payment: id, digest: image.digest, asset: image.asset },
    ...verdict(payment, context),
    ...emit(world, context, 'payment.updated', { payment: id }),
  ])
}

const isSame = ({ digest, assetId }: Receipt, image: ReceiptImage) =>
  digest === image.digest || (image.asset !== null && assetId === image.asset)

function verdict({ sortKey: { id }, receipt, script }: Payment, { at }: Context): DomainEvent[] {
  const scripted = verdictFor(script, (receipt?.submissions ?? 0) + 1)
  if (!scripted || scripted.verdict === 'manual') return []
  const trigger = scripted.verdict === 'accept' ? 'accept-receipt' : 'reject-receipt'
  const failure = scripted.message === null ? undefined : { message: scripted.message }
  return [moveLater(id, 'receipt', later(at, scripted.afterMs), trigger, failure)]
}
