import type { Command } from 'commander'
import type { Answer, CreatePayment, PaymentIntent } from '../../../client/index.ts'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { type Session, withSession } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { type Body, moneyOf } from '../../fields/body.ts'
import { buildRequest } from '../../fields/build-request.ts'
import { equivalentCommand, type TypedFlags } from '../../fields/equivalent-command.ts'
import { type FieldFlags, fieldFlags } from '../../fields/field-flags.ts'
import {
  describeFieldProblems,
  missingFields,
  nameFlags,
  refuseMissing,
} from '../../fields/field-problems.ts'
import { type KeyFlags, keyFlags, keyFor } from '../../fields/idempotency-key.ts'
import { paymentView } from '../../output/views/payment.ts'
import { canAsk, confirmLive } from '../../prompts/confirm.ts'
import { tellNextStep } from './next-step.ts'

type CreateFlags = MerchantFlags & FieldFlags & KeyFlags

export const command = (): Command => {
  const typed: (readonly [string, string?])[] = []
  return recorded(
    typed,
    merchantCommand(
      'payments create',
      declare =>
        keyFlags(
          fieldFlags(declare.description('Creates a payment. On a terminal, it asks for what is missing.')),
        )
          .addHelpText('after', MORE)
          .action((flags: CreateFlags) => create(flags, typed)),
      { changes: true },
    ),
  )
}

const MORE = `
Flags win over --data; of several --data, JSON on the command line wins over files, and files over stdin.
--set changes one member of all that, and is a fault where it matches nothing. Members that the interface does not
have are sent as they are. Digits alone are minor units; an amount with its currency is converted, and said so.

Examples:
  paysim payments create
  paysim payments create --amount '1,234.50 THB' --country TH --merchant-reference order-1 \\
    --return-url https://shop.example/thanks
  paysim payments create --amount 10000 --currency THB --country TH --checkout-mode merchant \\
    --payment-method th_promptpay --merchant-reference order-2
  paysim payments create --data @order.json --option bank=bbl --customer-name 'Somchai Jaidee'
  jq .payment order.json | paysim payments create --data - --query next_action.url`

/** Notes what is typed, as it is typed: the command is told again once the questions are answered. */
function recorded(typed: (readonly [string, string?])[], command: Command): Command {
  for (const { long } of command.options)
    if (long)
      command.on(`option:${long.slice(2)}`, (value?: string | null) => {
        typed.push(value == null ? [long] : [long, value])
      })
  return command
}

async function create(flags: CreateFlags, typed: TypedFlags): Promise<void> {
  if (flags.keyFile === '-' && flags.data?.some(source => source === '-' || source === '@-'))
    throw new UsageError('--data - and --key-file - both read stdin, which is read once')
  const { body, notes } = await buildRequest(flags)
  for (const note of notes) process.stderr.write(`${note}\n`)
  await withSession(flags, session => createPayment(body, { flags, session, typed }))
}

/** Creates it once it is whole: a person is asked for what is missing or found wanting, a script is told. */
async function createPayment(begun: Body, creation: Creation): Promise<void> {
  const { flags, session, typed } = creation
  const missing = missingFields(begun, { referenceOptional: await isReferenceOptional(creation) })
  // A rehearsal sends nothing, so there is nothing to discover and nothing to ask.
  const mayAsk = canAsk(flags) && !flags.dryRun
  if (!mayAsk) refuseMissing(missing)
  let body = begun
  if (missing.length > 0) {
    const { guided } = await import('../../prompts/payment/guide.ts')
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
    const { mended } = await import('../../prompts/payment/guide.ts')
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
  const { readContract } = await import('../../read-file.ts')
  return (await readContract(contract))['create.merchant_reference'] === 'optional'
}

/** What one run of `payments create` goes by. */
interface Creation {
  readonly flags: MerchantFlags & KeyFlags
  readonly session: Session
  readonly typed: TypedFlags
}
