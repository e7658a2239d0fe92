import type { Answer, CreatePayment, PaymentIntent } from '../../../client/index.ts'
import { canAsk } from '../../call/can-ask.ts'
import { confirmLive } from '../../call/confirm-live.ts'
import { equivalentCommand } from '../../fields/equivalent-command.ts'
import { describeFieldProblems } from '../../fields/field-problems.ts'
import { keyFor } from '../../fields/idempotency-key.ts'
import { missingFields, refuseMissing } from '../../fields/missing-fields.ts'
import { moneyOf } from '../../fields/money-of.ts'
import { nameFlags } from '../../fields/name-flags.ts'
import type { Body } from '../../fields/request-fields.ts'
import { paymentView } from '../../output/views/payment.ts'
import type { Creation } from './creation.ts'
import { tellNextStep } from './next-step.ts'

/** Creates it once it is whole: a person is asked for what is missing or found wanting, a script is told. */
export async function createPayment(begun: Body, creation: Creation): Promise<void> {
  const { flags, session, typed } = creation
  const missing = missingFields(begun, { referenceOptional: await isReferenceOptional(creation) })
  // A rehearsal sends nothing, so there is nothing to discover and nothing to ask.
  const mayAsk = canAsk(flags) && !flags.dryRun
  if (!mayAsk) refuseMissing(missing)
  let body = begun
  if (missing.length > 0) {
    const { guided } = await import('../../prompts/payment/interview.ts')
    body = await guided(begun, creation)
  }
  for (;;) {
    const sent = await attempt(body, creation, mayAsk)
    if ('answer' in sent) {
      await session.show(sent.answer, paymentView)
      tellNextStep(sent.answer.body, creation)
      if (body !== begun)
        process.stderr.write(`\nWithout questions:\n  ${equivalentCommand('payments create', typed, body)}\n`)
      return
    }
    const { mended } = await import('../../prompts/payment/interview.ts')
    body = await mended(body, sent.wanting, creation)
  }
}

type Attempt =
  | { readonly answer: Answer<PaymentIntent> }
  | { readonly wanting: ReturnType<typeof describeFieldProblems> }

async function attempt(body: Body, { flags, session }: Creation, mayAsk: boolean): Promise<Attempt> {
  await confirmLive(flags, session, `create a payment of ${moneyOf(body)}`)
  const options = { idempotencyKey: keyFor(flags), signal: session.signal }
  try {
    // What the body holds is the caller's word and the server's to judge: a server may know more than this version.
    return {
      answer: await session.client.payments.create(body as unknown as CreatePayment, options).answer(),
    }
  } catch (error) {
    const wanting = mayAsk ? describeFieldProblems(error) : []
    if (wanting.length === 0) throw nameFlags(error)
    return { wanting }
  }
}

/** Required, unless the contract of this server says otherwise. */
async function isReferenceOptional({ flags, session }: Creation): Promise<boolean> {
  const contract = flags.contract ?? session.target.profile?.contract
  if (contract === undefined) return false
  const { readContract } = await import('../../read-contract.ts')
  return (await readContract(contract))['create.merchant_reference'] === 'optional'
}
